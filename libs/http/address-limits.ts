import { Inject, Injectable } from '@nestjs/common';
import { MINUTE_MS } from '#libs/kernel/durations.js';
import type { Problem } from '#libs/kernel/problem.js';
import {
  addressKey,
  DOCUMENTS_PER_MINUTE,
  FAILED_AUTHENTICATIONS_PER_MINUTE,
  SIGN_IN_STEPS_PER_MINUTE,
  SLUGS_PER_MINUTE,
  UNAUTHENTICATED_PER_MINUTE,
} from './rate-limit/address-key.js';
import { RATE_LIMITER } from './rate-limit/rate-limit.storage.js';
import { tooMany } from './rate-limit/too-many.js';
import type { RateLimiter } from './rate-limit/verdict.js';

const LIMITS = {
  unauthenticated: UNAUTHENTICATED_PER_MINUTE,
  failed: FAILED_AUTHENTICATIONS_PER_MINUTE,
  documents: DOCUMENTS_PER_MINUTE,
  signIn: SIGN_IN_STEPS_PER_MINUTE,
  slugs: SLUGS_PER_MINUTE,
};
const WITHOUT_CREDENTIAL = 'Too many requests from this address without a valid credential.';
const DETAILS = {
  unauthenticated: WITHOUT_CREDENTIAL,
  failed: WITHOUT_CREDENTIAL,
  documents: 'Too many requests from this address for public documents.',
  signIn: 'Too many sign-ins from this address at once. Wait a little.',
  slugs: 'Too many slug checks from this address.',
};

/** Rate limits per address: requests without a credential by purpose, failed authentications, and public pages. */
@Injectable()
export class AddressLimits {
  constructor(@Inject(RATE_LIMITER) private readonly limiter: RateLimiter) {}

  /** Counts a request; returns a 429 if there were too many. */
  async count(ip: string, kind: keyof typeof LIMITS): Promise<Problem | null> {
    const verdict = await this.limiter.hit(kind, addressKey(ip), LIMITS[kind], MINUTE_MS);
    if (verdict.allowed) return null;
    return tooMany(verdict, DETAILS[kind]);
  }
}
