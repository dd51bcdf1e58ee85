/** Letters of a key that is made from a name: numbers behind it must fit as well. */
const BASE_LENGTH = 4;
const KEY_LENGTH = 10;
const NAMELESS = 'PRJ';
/** References of personal tasks begin like this. */
const RESERVED = 'TASK';

/** First letters of a name that can begin a key: `ACME` for "Acme rollout". */
export function keyBaseOf(name: string): string {
  const plain = name.normalize('NFKD').toUpperCase().replace(/\p{M}/gu, '');
  const words = plain.split(/[^A-Z0-9]+/).filter((word) => /^[A-Z]/.test(word));
  const base = (words.find((word) => word.length > 1) ?? words.join('')).slice(0, BASE_LENGTH);
  return base.length < 2 ? NAMELESS : base;
}

/** The nth key that begins like this: `ACME`, `ACME2`, `ACME3`. */
export function keyOf(base: string, n: number): string {
  const number = n === 1 ? '' : String(n);
  return base.slice(0, KEY_LENGTH - number.length) + number;
}

/** Whether a project may have the key. */
export function isFreeKey(key: string): boolean {
  return key !== RESERVED;
}
