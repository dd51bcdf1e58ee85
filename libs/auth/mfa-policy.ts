/** Who needs a second factor: nobody, members with privileged permissions, or everybody. */
export const MFA_POLICIES = ['optional', 'admins', 'all'] as const;
/** Second factors and their `amr` values. `Source:` RFC 8176; `fido` is Entra's. */
const AMR = {
  webauthn: ['hwk', 'fido', 'sc', 'pop', 'fpt', 'face', 'iris', 'retina', 'vbm'],
  totp: ['otp'],
  push: ['swk'],
  sms: ['sms', 'tel'],
} as const;
export type MfaMethod = keyof typeof AMR;
export const MFA_METHODS = Object.keys(AMR) as MfaMethod[];

/** What a tenant requires of sign-ins. */
export interface MfaPolicy {
  /** Increases by one with each change. */
  version: number;
  policy: (typeof MFA_POLICIES)[number];
  gracePeriodDays: number;
  allowedMethods: MfaMethod[];
  /** Maximum age of a second factor for protected operations. */
  stepUpMaxAgeMinutes: number;
  /** When enforcement starts; null when it is already in force. */
  effectiveAt: string | null;
}

/** Policy of a tenant that has not set one. */
export const DEFAULT_MFA: MfaPolicy = {
  version: 1,
  policy: 'optional',
  gracePeriodDays: 0,
  allowedMethods: [...MFA_METHODS],
  stepUpMaxAgeMinutes: 15,
  effectiveAt: null,
};

/** The sign-in behind a session. */
export interface SignInFacts {
  methods: readonly string[];
  /** Null when no second factor was used. */
  multiFactorAt: number | string | null;
}

/**
 * Whether a sign-in used a second factor that the tenant accepts. If the provider confirms a second factor without
 * naming the method, it is accepted.
 */
export function hasFactor({ methods, multiFactorAt }: SignInFacts, { allowedMethods }: MfaPolicy): boolean {
  if (multiFactorAt === null) return false;
  const named = MFA_METHODS.filter((method) => AMR[method].some((value) => methods.includes(value)));
  return named.length === 0 || named.some((method) => allowedMethods.includes(method));
}

/** Whether a policy applies to a principal; `runsTenant` tells whether they hold privileged permissions. */
export function isMeant({ policy }: Pick<MfaPolicy, 'policy'>, runsTenant: boolean): boolean {
  return policy === 'all' || (policy === 'admins' && runsTenant);
}

/** Whether the change accepts a sign-in that was rejected before. Ending a grace period early is not weaker. */
export function isWeakened(before: MfaPolicy, after: MfaPolicy, nowMs: number): boolean {
  if (MFA_POLICIES.indexOf(after.policy) < MFA_POLICIES.indexOf(before.policy)) return true;
  if (after.stepUpMaxAgeMinutes > before.stepUpMaxAgeMinutes) return true;
  if (after.allowedMethods.some((method) => !before.allowedMethods.includes(method))) return true;
  if (before.effectiveAt === null || after.effectiveAt === null) return false;
  return Date.parse(after.effectiveAt) > Math.max(Date.parse(before.effectiveAt), nowMs);
}
