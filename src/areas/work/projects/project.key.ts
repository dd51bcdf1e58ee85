import { cut } from '#libs/kernel/cut.js';
import { toLatin } from '#libs/kernel/latin.js';

/** Letters of a key derived from a name; leaves room for a number. */
const BASE_LENGTH = 4;
const KEY_LENGTH = 10;
const NAMELESS = 'PRJ';
/** Prefix of the references of personal tasks. */
const RESERVED = 'TASK';

/** The key prefix derived from a name: `ACME` for "Acme rollout". Words in other scripts are left out. */
export function keyBaseOf(name: string): string {
  const plain = toLatin(name).toUpperCase();
  const words = plain.split(/[^\p{L}\p{N}]+/u).filter((word) => /^[A-Z][A-Z0-9]*$/.test(word));
  const base = cut(words.find((word) => word.length > 1) ?? words.join(''), BASE_LENGTH);
  return base.length < 2 ? NAMELESS : base;
}

/** The nth key with this prefix: `ACME`, `ACME2`, `ACME3`. */
export function keyOf(base: string, n: number): string {
  const number = n === 1 ? '' : String(n);
  return cut(base, KEY_LENGTH - number.length) + number;
}

/** Whether a project can use the key. */
export function isFreeKey(key: string): boolean {
  return key !== RESERVED;
}
