import { Injectable } from '@nestjs/common';
import { OperatorError } from '#libs/config/operator-error.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { generateOperatorKey, operatorKeyHash } from './api-key.js';
import type { IssuedCredential } from './new-credential.js';

/** An operator key as stored in the directory. */
export interface OperatorKeyRecord {
  id: string;
  name: string;
  createdAt: string;
  expiresAt: string;
  revokedAt: string | null;
}

const FIND = `select id, name from directory.find_operator_key($1, $2)`;
const INSERT = `insert into directory.operator_keys (id, name, secret_hash, created_at, expires_at)
  values ($1, $2, $3, $4, $5)`;
const LIST = `select id, name, created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt"
  from directory.operator_keys order by created_at, id`;
const REVOKE = `update directory.operator_keys set revoked_at = coalesce(revoked_at, $2) where id = $1
  returning revoked_at as "revokedAt"`;

/**
 * Keys with which an operator creates and administers tenants over the API. They belong to no tenant. Each use reads
 * the directory, so a revoked or expired key is rejected immediately.
 */
@Injectable()
export class OperatorKeys {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** The operator key for a text; null when it is unknown, revoked or expired. */
  async find(text: string): Promise<{ id: string; name: string } | null> {
    const hash = operatorKeyHash(text);
    if (!hash) return null;
    const [row] = await this.database.systemRead<{ id: string; name: string }>(
      statement(FIND, [hash, this.clock.now().toISOString()]),
    );
    return row ?? null;
  }

  /** Creates a key. Needs the `system` role, as do all methods below. */
  async create(name: string, expiresAt: string): Promise<IssuedCredential> {
    const id = uuidv7();
    const { text, hash } = generateOperatorKey();
    const values = [id, name, hash, this.clock.now().toISOString(), expiresAt];
    await this.database.system([statement(INSERT, values)]);
    return { id, text };
  }

  /** All operator keys, oldest first. */
  async list(): Promise<OperatorKeyRecord[]> {
    return this.database.systemRead<OperatorKeyRecord>(statement(LIST));
  }

  /** Revokes a key; returns the time of revocation. @throws OperatorError when no key has the id. */
  async revoke(id: string): Promise<string> {
    const [row] = await this.database.systemRead<{ revokedAt: string }>(
      statement(REVOKE, [id, this.clock.now().toISOString()]),
    );
    if (!row) throw new OperatorError(`There is no operator key with the id ${id}`);
    return row.revokedAt;
  }
}
