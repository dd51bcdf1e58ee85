import { begins, includes, leafOf, treeHash } from '#libs/testing/merkle.js';
import {
  consistencyPath,
  EMPTY_ROOT,
  GrowingTree,
  inclusionPath,
  type Range,
  rootFromInclusion,
  rootOf,
  subtreesOf,
} from './merkle.js';

/** Test leaves of the Certificate Transparency project, whose tree RFC 6962 describes. */
const TEXTS = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const LEAVES = TEXTS.map((text) => leafOf(Buffer.from(text, 'hex')));
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const A = '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7';
const B = '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e';
const C = '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4';
const D = 'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b';
const E = 'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0';
const F = '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a';

/** A tree built leaf by leaf, with the hashes of all complete subtrees. */
function grown(leaves: readonly Buffer[]) {
  const tree = new GrowingTree(0, []);
  const rows = leaves.map((leaf) => tree.add(leaf));
  const proof = (path: readonly Range[]) =>
    path.map((range) => rootOf(subtreesOf(range).map(({ level, end }) => rows[end - 1]![level]!)));
  return { tree, proof };
}

const hex = (hashes: readonly Buffer[]) => hashes.map((hash) => hash.toString('hex'));

describe('a Merkle tree', () => {
  it('has the roots of the published test vectors', () => {
    const tree = new GrowingTree(0, []);
    expect(tree.root.toString('hex')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(EMPTY_ROOT).toEqual(tree.root);
    const roots = LEAVES.map((leaf) => {
      tree.add(leaf);
      return tree.root;
    });
    expect(hex(roots)).toEqual(ROOTS);
  });

  it('has their proofs of inclusion', () => {
    const { proof } = grown(LEAVES);
    expect(hex(proof(inclusionPath(0, 8)))).toEqual([A, B, C]);
    expect(hex(proof(inclusionPath(5, 8)))).toEqual([D, E, ROOTS[3]]);
    expect(hex(proof(inclusionPath(2, 3)))).toEqual([ROOTS[1]]);
    expect(hex(proof(inclusionPath(1, 5)))).toEqual([ROOTS[0], B, D]);
    expect(proof(inclusionPath(0, 1))).toEqual([]);
  });

  it('has their proofs of consistency', () => {
    const { proof } = grown(LEAVES);
    expect(proof(consistencyPath(1, 1))).toEqual([]);
    expect(hex(proof(consistencyPath(1, 8)))).toEqual([A, B, C]);
    expect(hex(proof(consistencyPath(6, 8)))).toEqual([F, E, ROOTS[3]]);
    expect(hex(proof(consistencyPath(2, 5)))).toEqual([B, D]);
  });

  it('goes on from the subtrees that it is made of, and proves what it says for every size', () => {
    const leaves = Array.from({ length: 70 }, (_, index) => leafOf(`leaf ${index}`));
    const { proof } = grown(leaves);
    for (let size = 1; size <= leaves.length; size++) {
      const root = treeHash(leaves.slice(0, size));
      const peaks = subtreesOf({ from: 0, to: size - 1 }).map(({ level, end }) =>
        treeHash(leaves.slice(end - 2 ** level, end)),
      );
      const tree = new GrowingTree(size - 1, peaks);
      tree.add(leaves[size - 1]!);
      expect(tree.root).toEqual(root);
      for (let other = 1; other <= size; other++) {
        const inclusion = proof(inclusionPath(other - 1, size));
        expect(includes(leaves[other - 1]!, other - 1, size, inclusion, root)).toBe(true);
        expect(rootFromInclusion(leaves[other - 1]!, other - 1, size, inclusion)).toEqual(root);
        const older = { size: other, root: treeHash(leaves.slice(0, other)) };
        expect(begins(older, { size, root }, proof(consistencyPath(other, size)))).toBe(true);
      }
    }
  });

  it('is cut into the fewest complete subtrees', () => {
    expect(subtreesOf({ from: 3, to: 11 })).toEqual([
      { level: 0, end: 4 },
      { level: 2, end: 8 },
      { level: 1, end: 10 },
      { level: 0, end: 11 },
    ]);
    expect(subtreesOf({ from: 0, to: 13 }).map(({ level }) => level)).toEqual([3, 2, 0]);
    expect(subtreesOf({ from: 5, to: 5 })).toEqual([]);
  });
});
