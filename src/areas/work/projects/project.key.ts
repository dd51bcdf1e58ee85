import { cut } from '#libs/kernel/cut.js';

/** Letters of a key derived from a name; leaves room for a number. */
const BASE_LENGTH = 4;
const KEY_LENGTH = 10;
const NAMELESS = 'PRJ';
/** Prefix of the references of personal tasks. */
const RESERVED = 'TASK';

/** The key prefix derived from a name: `ACME` for "Acme rollout". */
export function keyBaseOf(name: string): string {
  const plain = name.normalize('NFKD').toUpperCase().replace(/\p{M}/gu, '');
  const words = plain.split(/[^A-Z0-9]+/).filter((word) => /^[A-Z]/.test(word));
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
