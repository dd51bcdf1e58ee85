import { createPrivateKey, generateKeyPairSync, hash, sign } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { canonical } from '#libs/kernel/canonical.js';
import { LRUCache } from 'lru-cache';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { MasterKeys, type Wrapped } from '#libs/sealing/master-keys.js';
import type { WrappedKeys } from '#libs/sealing/wrapped-keys.js';

/** The public part of a key. */
export interface PublicSigningKey {
  /** Its thumbprint. `Source:` RFC 7638. */
  kid: string;
  /** 32 bytes. */
  publicKey: Buffer;
  notBefore: string;
  /** Time from which it no longer signs; null for the active key. */
  notAfter: string | null;
}

/** The active signing key. */
export interface SigningKey extends PublicSigningKey {
  /** The Ed25519 signature, 64 bytes. */
  sign(bytes: Buffer): Buffer;
}

/** A row of {@link READ_SIGNING_KEYS}. */
export interface SigningKeyRow extends PublicSigningKey, Wrapped {}

const COLUMNS = `kid, public_key, sealed_private_key, master_key_id`;
const FIRST = `insert into directory.signing_keys (${COLUMNS}) select $1, $2, $3, $4
  where not exists (select from directory.signing_keys)`;
const LOCK = `lock table directory.signing_keys in share row exclusive mode`;
const RETIRE = `update directory.signing_keys set not_after = now() where not_after is null`;
const ADD = `insert into directory.signing_keys (${COLUMNS}) values ($1, $2, $3, $4)`;
/** All keys, the active one last. */
export const READ_SIGNING_KEYS = statement(`select kid, public_key as "publicKey", sealed_private_key as sealed,
  master_key_id as "masterKeyId", not_before as "notBefore", not_after as "notAfter" from directory.read_signing_keys()`);

const placeOf = (kid: string): string => `signing_keys|sealed_private_key|${kid}`;

/** The private parts of all signing keys. */
export const PRIVATE_SIGNING_KEYS: WrappedKeys = {
  table: 'directory.signing_keys',
  identity: ['kid'],
  column: 'sealed_private_key',
  purpose: 'seal signing keys',
  context: ([kid]) => placeOf(String(kid)),
};

/** Values of {@link COLUMNS} for a new key. */
function newKey(masterKeys: MasterKeys): [kid: string, publicKey: Buffer, sealed: Buffer, masterKeyId: string] {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x } = publicKey.export({ format: 'jwk' }) as { x: string };
  const kid = hash('sha256', canonical({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url');
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' });
  const { sealed, masterKeyId } = masterKeys.wrap('seal signing keys', secret, placeOf(kid));
  return [kid, Buffer.from(x, 'base64url'), sealed, masterKeyId];
}

/** The statement that creates the first key of an installation; does nothing if a key exists. */
export function firstSigningKey(masterKeys: MasterKeys): Statement {
  return { text: FIRST, values: newKey(masterKeys) };
}

/**
 * The Ed25519 keys with which the platform signs verifiable data. Private keys are encrypted with the master key;
 * public keys are published permanently, so that old signatures can be verified.
 */
@Injectable()
export class SigningKeys {
  /** Signing functions by `kid`. */
  private readonly opened = new LRUCache<string, SigningKey['sign']>({ max: 10 });

  constructor(
    private readonly database: Database,
    private readonly masterKeys: MasterKeys,
  ) {}

  /** All keys, the active one last. */
  async all(): Promise<PublicSigningKey[]> {
    return (await this.rows()).map(({ kid, publicKey, notBefore, notAfter }) => ({
      ...{ kid, publicKey, notBefore, notAfter },
    }));
  }

  /** The active key. */
  async active(): Promise<SigningKey> {
    return this.activeOf(await this.rows());
  }

  /** Like {@link active}, from rows read by {@link READ_SIGNING_KEYS}. */
  activeOf(rows: readonly SigningKeyRow[]): SigningKey {
    const row = rows.at(-1);
    if (row?.notAfter !== null) throw new Error('There is no signing key: run platform migrate.');
    const { sealed, masterKeyId, ...key } = row;
    let signs = this.opened.get(key.kid);
    if (!signs) {
      const der = this.masterKeys.unwrap('seal signing keys', { sealed, masterKeyId }, placeOf(key.kid));
      const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
      signs = (bytes) => sign(null, bytes, privateKey);
      this.opened.set(key.kid, signs);
    }
    return { ...key, sign: signs };
  }

  /** Creates and activates a new key and returns it. Requires the `system` role. */
  async rotate(): Promise<PublicSigningKey> {
    await this.database.acrossTenants(async (transaction) => {
      await transaction.query(statement(LOCK));
      transaction.write(statement(RETIRE));
      transaction.write(statement(ADD, newKey(this.masterKeys)));
    });
    return (await this.all()).at(-1)!;
  }

  private async rows(): Promise<SigningKeyRow[]> {
    return this.database.systemRead<SigningKeyRow>(READ_SIGNING_KEYS);
  }
}
