import type { PostureCheck } from '../posture-check.js';
import { AI_CHECKS } from './ai.checks.js';
import { CREDENTIAL_CHECKS } from './credential.checks.js';
import { DATA_CHECKS } from './data.checks.js';
import { DELIVERY_CHECKS } from './delivery.checks.js';
import { MEMBER_CHECKS } from './member.checks.js';
import { SIGN_IN_CHECKS } from './sign-in.checks.js';

/** All security checks, by category. */
export const POSTURE_CHECKS: readonly PostureCheck[] = [
  ...MEMBER_CHECKS,
  ...SIGN_IN_CHECKS,
  ...CREDENTIAL_CHECKS,
  ...DELIVERY_CHECKS,
  ...DATA_CHECKS,
  ...AI_CHECKS,
];

export const CHECK_KEYS: readonly string[] = POSTURE_CHECKS.map(({ key }) => key);
