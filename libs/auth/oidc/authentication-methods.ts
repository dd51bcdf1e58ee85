/** Kinds of factors by `amr` value. `Source:` RFC 8176. */
const FACTORS: Record<string, 'knowledge' | 'possession' | 'inherence'> = {
  kba: 'knowledge',
  pin: 'knowledge',
  pwd: 'knowledge',
  hwk: 'possession',
  otp: 'possession',
  sc: 'possession',
  sms: 'possession',
  swk: 'possession',
  tel: 'possession',
  face: 'inherence',
  fpt: 'inherence',
  iris: 'inherence',
  retina: 'inherence',
  vbm: 'inherence',
};
/** Values that count as a second factor, beside a password or in its place. Entra reports `fido` and `ngcmfa`. */
const SECOND_FACTORS = new Set(['mfa', 'mca', 'otp', 'hwk', 'fido', 'face', 'fpt', 'ngcmfa']);
const MAX_METHODS = 20;

/** The values of an `amr` claim in lower case; a text is a list of one. Empty when there are no words. */
export function methodsOf(amr: unknown): string[] {
  const values: unknown[] = Array.isArray(amr) ? amr : [amr];
  const words = values.filter((each): each is string => typeof each === 'string' && /^[\w.:/-]{1,100}$/.test(each));
  return [...new Set(words.map((each) => each.toLowerCase()))].slice(0, MAX_METHODS).sort();
}

/** Whether methods include a second factor: one that counts as such, or methods of two kinds. */
export function isMultiFactor(methods: readonly string[]): boolean {
  return (
    methods.some((each) => SECOND_FACTORS.has(each)) ||
    new Set(methods.map((each) => FACTORS[each]).filter(Boolean)).size > 1
  );
}
