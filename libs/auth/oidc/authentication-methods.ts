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
const MAX_METHODS = 20;

/** The values of an `amr` claim; empty when it is not a list of words. */
export function methodsOf(amr: unknown): string[] {
  if (!Array.isArray(amr)) return [];
  return [...new Set(amr.filter((each): each is string => typeof each === 'string' && /^[\w.:/-]{1,100}$/.test(each)))]
    .slice(0, MAX_METHODS)
    .sort();
}

/** Whether a sign-in used several factors: the provider reports `mfa`, or methods of two kinds. */
export function isMultiFactor(methods: readonly string[]): boolean {
  return methods.includes('mfa') || new Set(methods.map((each) => FACTORS[each]).filter(Boolean)).size > 1;
}
