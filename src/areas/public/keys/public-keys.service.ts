import { currentScope } from '#libs/tenancy/scope.js';
import { Injectable } from '@nestjs/common';
import { AddressLimits } from '#libs/http/address-limits.js';
import { SigningKeys } from '#libs/proof/signing-keys.js';
import type { PublicKeySet } from './public-key.dto.js';

/** The keys that verify what the platform signs. */
@Injectable()
export class PublicKeysService {
  constructor(
    private readonly keys: SigningKeys,
    private readonly addresses: AddressLimits,
  ) {}

  /** @throws Problem 429 `rate_limit_exceeded`. */
  async list(): Promise<PublicKeySet> {
    const refusal = await this.addresses.count(currentScope().clientIp ?? '', 'documents');
    if (refusal) throw refusal;
    const all = await this.keys.all();
    return {
      keys: all.map(({ kid, publicKey, notBefore, notAfter }) => ({
        kid,
        kty: 'OKP',
        crv: 'Ed25519',
        x: publicKey.toString('base64url'),
        use: 'sig',
        status: notAfter === null ? 'active' : 'retired',
        notBefore,
        notAfter,
      })),
    };
  }
}
