import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { Clock } from '#libs/kernel/clock.js';
import { deriveKey, MASTER_KEY, Sealer } from '#libs/sealing/sealer.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { touch, usable } from './secret.queries.js';

const FINGERPRINT_DIGITS = 8;

/** The values of secrets, for what uses them inside the server. They leave here for a provider and for nobody else. */
@Injectable()
export class Secrets {
  private readonly fingerprintKey: Buffer;

  constructor(
    private readonly sealer: Sealer,
    private readonly database: Database,
    private readonly clock: Clock,
    @Inject(MASTER_KEY) masterKey: Buffer,
  ) {
    this.fingerprintKey = deriveKey(masterKey, 'fingerprints of secrets');
  }

  /**
   * The values of a secret that can be used: the current one, then the one before while its grace lasts. None for a secret
   * that does not exist or has expired. The use is noted. Not inside a transaction.
   */
  async use(name: string): Promise<string[]> {
    const at = this.clock.now().toISOString();
    const versions = await this.database.read<{ id: string; sealed: string }>(usable(name, at));
    if (versions.length === 0) return [];
    await this.database.aside([touch(name, at)]);
    return Promise.all(versions.map(({ id, sealed }) => this.sealer.open(sealed, placeOf(id))));
  }

  /** A value as it is stored; `id` is that of its version. */
  seal(id: string, value: string): Promise<string> {
    return this.sealer.seal(value, placeOf(id));
  }

  /** Tells values of a tenant apart without the key that it is made with: 8 hexadecimal digits. */
  fingerprint(value: string): string {
    const digest = createHmac('sha256', this.fingerprintKey).update(`${currentTenant().id}|${value}`).digest('hex');
    return digest.slice(0, FINGERPRINT_DIGITS);
  }
}

function placeOf(id: string): string {
  return `data.secret_versions|sealed|${id}`;
}
