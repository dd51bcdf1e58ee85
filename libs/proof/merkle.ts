import { hash } from 'node:crypto';

/**
 * Merkle trees as in RFC 6962 section 2.1, over given leaf hashes. A tree of any size consists of complete subtrees,
 * whose hashes never change; all functions here work with complete subtrees.
 */

/** The leaves from `from` to `to`, counted from 0; `to` is exclusive. */
export interface Range {
  from: number;
  to: number;
}

/** A complete subtree: 2^level leaves up to `end`, which is a multiple of 2^level. */
export interface Subtree {
  level: number;
  end: number;
}

export type HashOf = (subtree: Subtree) => Buffer;

/** The root of an empty tree. */
export const EMPTY_ROOT = hash('sha256', '', 'buffer');

/** `Source:` RFC 6962 section 2.1. */
export function nodeHash(left: Buffer, right: Buffer): Buffer {
  return hash('sha256', Buffer.concat([ONE, left, right]), 'buffer');
}

const ONE = Buffer.from([1]);

/** The highest level of a complete subtree that ends with leaf number `end`, counted from 1; the lowest is 0. */
export function highestLevel(end: number): number {
  let level = 0;
  for (let rest = end; rest % 2 === 0; rest /= 2) level++;
  return level;
}

/** The smallest list of complete subtrees that covers a range, from left to right. */
export function subtreesOf({ from, to }: Range): Subtree[] {
  const found: Subtree[] = [];
  for (let at = from; at < to;) {
    let level = at === 0 ? Math.floor(Math.log2(to)) : highestLevel(at);
    while (at + 2 ** level > to) level--;
    at += 2 ** level;
    found.push({ level, end: at });
  }
  return found;
}

/** The root over the hashes of complete subtrees, from left to right. */
export function rootOf(hashes: readonly Buffer[]): Buffer {
  if (hashes.length === 0) return EMPTY_ROOT;
  return hashes.reduceRight((right, left) => nodeHash(left, right));
}

/** An append-only tree, stored as its maximal complete subtrees from left to right. */
export class GrowingTree {
  private readonly peaks: Buffer[];

  constructor(
    private count: number,
    peaks: readonly Buffer[],
  ) {
    this.peaks = [...peaks];
  }

  get size(): number {
    return this.count;
  }

  get root(): Buffer {
    return rootOf(this.peaks);
  }

  /** Adds a leaf; returns the hashes of the complete subtrees that end with it, starting with the leaf itself. */
  add(leaf: Buffer): Buffer[] {
    this.count++;
    const ended = [leaf];
    for (let level = highestLevel(this.count); level > 0; level--)
      ended.push(nodeHash(this.peaks.pop()!, ended.at(-1)!));
    this.peaks.push(ended.at(-1)!);
    return ended;
  }
}

/** Ranges whose roots prove that a leaf is in a tree. `Source:` RFC 6962 section 2.1.1. */
export function inclusionPath(leaf: number, size: number): Range[] {
  return pathTo({ from: 0, to: size }, leaf);
}

function pathTo({ from, to }: Range, leaf: number): Range[] {
  if (to - from === 1) return [];
  const middle = from + split(to - from);
  return leaf < middle
    ? [...pathTo({ from, to: middle }, leaf), { from: middle, to }]
    : [...pathTo({ from: middle, to }, leaf), { from, to: middle }];
}

/** Ranges whose roots prove that a non-empty tree is a prefix of another. `Source:` RFC 6962 section 2.1.2. */
export function consistencyPath(older: number, newer: number): Range[] {
  return pathBetween({ from: 0, to: newer }, older, true);
}

function pathBetween({ from, to }: Range, older: number, isKnown: boolean): Range[] {
  if (older === to) return isKnown ? [] : [{ from, to }];
  const middle = from + split(to - from);
  return older <= middle
    ? [...pathBetween({ from, to: middle }, older, isKnown), { from: middle, to }]
    : [...pathBetween({ from: middle, to }, older, false), { from, to: middle }];
}

/** The largest power of two below the number of leaves. */
function split(count: number): number {
  return 2 ** Math.ceil(Math.log2(count) - 1);
}

/** The root that results from an inclusion proof. */
export function rootFromInclusion(leafHash: Buffer, leaf: number, size: number, hashes: readonly Buffer[]): Buffer {
  return inclusionPath(leaf, size).reduce(
    (own, { from }, index) => (from > leaf ? nodeHash(own, hashes[index]!) : nodeHash(hashes[index]!, own)),
    leafHash,
  );
}
