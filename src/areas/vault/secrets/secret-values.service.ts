import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { Clock } from '#libs/kernel/clock.js';
import { InstallationKeys } from '#libs/sealing/installation-keys.js';
import { SealedColumn } from '#libs/sealing/sealed-column.js';
import { Sealer } from '#libs/sealing/sealer.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { touch, usable } from './secret.queries.js';

const FINGERPRINT_DIGITS = 8;

export const SECRET_VALUES = new SealedColumn('data.secret_versions', 'sealed');

/** The values of secrets for use inside the server. They are sent only to the intended provider. */
@Injectable()
export class Secrets {
  constructor(
    private readonly sealer: Sealer,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly installationKeys: InstallationKeys,
  ) {}

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
    return Promise.all(versions.map(({ id, sealed }) => this.sealer.open(sealed, SECRET_VALUES, id)));
  }

  /** Encrypts a value for storage; `id` is the id of its version. */
  seal(id: string, value: string): Promise<string> {
    return this.sealer.seal(value, SECRET_VALUES, id);
  }

  /**
   * A keyed fingerprint that distinguishes the values of a tenant: 8 hexadecimal digits. Must not run inside a
   * transaction.
   */
  async fingerprint(value: string): Promise<string> {
    const key = await this.installationKeys.read('fingerprints of secrets');
    const digest = createHmac('sha256', key).update(`${currentTenant().id}|${value}`).digest('hex');
    return digest.slice(0, FINGERPRINT_DIGITS);
  }
}
