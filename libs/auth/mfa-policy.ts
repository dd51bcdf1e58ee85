/** Who needs a second factor: nobody, who runs the tenant, everybody. */
export const MFA_POLICIES = ['optional', 'admins', 'all'] as const;
/** Second factors, and the values of `amr` that stand for them. `Source:` RFC 8176. */
const AMR = {
  webauthn: ['hwk', 'sc', 'pop', 'fpt', 'face', 'iris', 'retina', 'vbm'],
  totp: ['otp'],
  push: ['swk'],
  sms: ['sms', 'tel'],
} as const;
export type MfaMethod = keyof typeof AMR;
export const MFA_METHODS = Object.keys(AMR) as MfaMethod[];

/** What a tenant demands of sign-ins. */
export interface MfaPolicy {
  /** Rises by one with each change. */
  version: number;
  policy: (typeof MFA_POLICIES)[number];
  gracePeriodDays: number;
  allowedMethods: MfaMethod[];
  /** Age of a second factor up to which a session may take protected operations. */
  stepUpMaxAgeMinutes: number;
  /** From when on who lacks the proof is refused. */
  effectiveAt: string | null;
}

/** What holds where a tenant has decided nothing. */
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
  /** Null when it saw no second factor. */
  multiFactorAt: number | string | null;
}

/** Whether a sign-in saw a second factor that the tenant takes. A provider that names none vouches for the one it saw. */
export function hasFactor({ methods, multiFactorAt }: SignInFacts, { allowedMethods }: MfaPolicy): boolean {
  if (multiFactorAt === null) return false;
  const named = MFA_METHODS.filter((method) => AMR[method].some((value) => methods.includes(value)));
  return named.length === 0 || named.some((method) => allowedMethods.includes(method));
}

/** Whether somebody is meant by a policy; `runsTenant` is whether they hold a privileged role. */
export function isMeant({ policy }: Pick<MfaPolicy, 'policy'>, runsTenant: boolean): boolean {
  return policy === 'all' || (policy === 'admins' && runsTenant);
}

/** Whether some sign-in does afterwards that would not have done before. What ends a grace early weakens nothing. */
export function isWeakened(before: MfaPolicy, after: MfaPolicy, nowMs: number): boolean {
  if (MFA_POLICIES.indexOf(after.policy) < MFA_POLICIES.indexOf(before.policy)) return true;
  if (after.stepUpMaxAgeMinutes > before.stepUpMaxAgeMinutes) return true;
  if (after.allowedMethods.some((method) => !before.allowedMethods.includes(method))) return true;
  if (before.effectiveAt === null || after.effectiveAt === null) return false;
  return Date.parse(after.effectiveAt) > Math.max(Date.parse(before.effectiveAt), nowMs);
}
