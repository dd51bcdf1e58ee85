import { createHash } from 'node:crypto';

/** Merkle trees as the RFCs write them down, without anything of the platform: what its proofs are held against. */

const sha256 = (...parts: Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();

export const leafOf = (text: Buffer | string): Buffer => sha256(Buffer.from([0]), Buffer.from(text));

const nodeOf = (left: Buffer, right: Buffer): Buffer => sha256(Buffer.from([1]), left, right);

/** MTH of leaf hashes. `Source:` RFC 6962 section 2.1. */
export function treeHash(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return leaves[0]!;
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return nodeOf(treeHash(leaves.slice(0, k)), treeHash(leaves.slice(k)));
}

/** `Source:` RFC 9162 section 2.1.3.2. */
export function includes(leaf: Buffer, index: number, size: number, proof: readonly Buffer[], root: Buffer): boolean {
  if (index >= size) return false;
  let [fn, sn, r] = [index, size - 1, leaf];
  for (const p of proof) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      r = nodeOf(p, r);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn >> 1, sn >> 1];
    } else r = nodeOf(r, p);
    [fn, sn] = [fn >> 1, sn >> 1];
  }
  return sn === 0 && r.equals(root);
}

/** `Source:` RFC 9162 section 2.1.4.2. */
export function begins(
  older: { size: number; root: Buffer },
  newer: { size: number; root: Buffer },
  proof: readonly Buffer[],
): boolean {
  if (older.size === newer.size) return proof.length === 0 && older.root.equals(newer.root);
  const path = Number.isInteger(Math.log2(older.size)) ? [older.root, ...proof] : [...proof];
  if (path.length === 0) return false;
  let [fn, sn] = [older.size - 1, newer.size - 1];
  while (fn % 2 === 1) [fn, sn] = [fn >> 1, sn >> 1];
  let [fr, sr] = [path[0]!, path[0]!];
  for (const c of path.slice(1)) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      [fr, sr] = [nodeOf(c, fr), nodeOf(c, sr)];
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn >> 1, sn >> 1];
    } else sr = nodeOf(sr, c);
    [fn, sn] = [fn >> 1, sn >> 1];
  }
  return sn === 0 && fr.equals(older.root) && sr.equals(newer.root);
}
