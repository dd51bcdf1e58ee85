import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { Clock } from '#libs/kernel/clock.js';
import { deriveKey, MASTER_KEY, Sealer } from '#libs/sealing/sealer.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { touch, usable } from './secret.queries.js';

const FINGERPRINT_DIGITS = 8;

/** The values of secrets for use inside the server. They are sent only to the intended provider. */
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
   * The usable values of a secret: the current one, then the previous one during its grace period. Empty for a secret
   * that does not exist or has expired. Records the use. Must not run inside a transaction.
   */
  async use(name: string): Promise<string[]> {
    const values = await this.read(name);
    if (values.length > 0) await this.database.aside([touch(name, this.clock.now().toISOString())]);
    return values;
  }

  /** The same values without recording a use, to check their form. */
  async read(name: string): Promise<string[]> {
    const at = this.clock.now().toISOString();
    const versions = await this.database.read<{ id: string; sealed: string }>(usable(name, at));
    return Promise.all(versions.map(({ id, sealed }) => this.sealer.open(sealed, placeOf(id))));
  }

  /** Encrypts a value for storage; `id` is the id of its version. */
  seal(id: string, value: string): Promise<string> {
    return this.sealer.seal(value, placeOf(id));
  }

  /** A keyed fingerprint that distinguishes the values of a tenant: 8 hexadecimal digits. */
  fingerprint(value: string): string {
    const digest = createHmac('sha256', this.fingerprintKey).update(`${currentTenant().id}|${value}`).digest('hex');
    return digest.slice(0, FINGERPRINT_DIGITS);
  }
}

function placeOf(id: string): string {
  return `data.secret_versions|sealed|${id}`;
}
