import { Injectable } from '@nestjs/common';
import { EncryptJWT, jwtDecrypt } from 'jose';
import type { CodeChecks } from '#libs/auth/oidc/code-flow.js';
import { Clock } from '#libs/kernel/clock.js';
import { MasterKeys } from '#libs/sealing/master-keys.js';

/** Target of a sign-in. */
export interface Errand {
  /** Slug of the tenant; null for the only one that the person is a member of. */
  tenant: string | null;
  /** Path to go on to. */
  returnTo: string;
  /** The session that is to be renewed; null for a new one. */
  session: string | null;
}

/** State of an unfinished sign-in, stored in the browser. */
export interface Attempt extends CodeChecks, Errand {
  startedMs: number;
}

/** A request for consent, as carried by the consent page. */
export interface AskedConsent {
  /** The session in which the page was shown, of a person or a member. */
  session: string;
  /** Query of the authorization request. */
  search: string;
  /** Permissions shown on the page. */
  permissions: string[];
  /** Makes each page unique, so it can be submitted only once. */
  nonce: string;
}

/** Kinds of papers, by purpose. */
interface Papers {
  attempt: Attempt;
  'step-up': Errand;
  consent: AskedConsent;
}

/** Maximum duration of a sign-in. */
export const ATTEMPT_SECONDS = 600;

/** Encrypted, authenticated state that browsers carry; it expires after ten minutes. */
@Injectable()
export class SignInPapers {
  /** The first key encrypts. */
  private readonly keys: [Buffer, ...Buffer[]];

  constructor(
    masterKeys: MasterKeys,
    private readonly clock: Clock,
  ) {
    this.keys = masterKeys.derived('sign-in');
  }

  write<K extends keyof Papers>(kind: K, content: Papers[K]): Promise<string> {
    return new EncryptJWT({ content })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setAudience(kind)
      .setExpirationTime(Math.floor(this.clock.nowMs() / 1_000) + ATTEMPT_SECONDS)
      .encrypt(this.keys[0]);
  }

  /** Null if the paper is invalid, expired or written for another purpose. */
  async read<K extends keyof Papers>(kind: K, text: string): Promise<Papers[K] | null> {
    const options = { audience: kind, currentDate: this.clock.now(), requiredClaims: ['exp'] };
    for (const key of this.keys) {
      const read = await jwtDecrypt<{ content: Papers[K] }>(text, key, options).catch(() => null);
      if (read) return read.payload.content;
    }
    return null;
  }
}
