import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { type Guard, type Marks } from '#libs/resource/lists/table.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { ApiKey } from './api-key.js';

const LIVE: Guard = () => 't.deleted_at is null';
const CREDENTIALS = `select id, 'top_live_' || key_id as prefix, name, scopes, allow_protected as "allowProtected",
    allowed_cidrs as "ipAllowList", member_id as "memberId", case when member_id is null then 'service' else 'personal' end as kind,
    issued_at as "issuedAt", expires_at as "expiresAt", revoked_at as "revokedAt",
    previous_expires_at as "previousExpiresAt", last_used_at as "lastUsedAt", last_used_ip as "lastUsedIp",
    reads_per_minute as "readsPerMinute", writes_per_minute as "writesPerMinute"
  from directory.api_keys($1) left join directory.api_key_limits($1) using (id)`;
const CHANGE = `select directory.change_api_key($1, $2, $3, $4, $5, $6, $7)`;
const LIMIT = `select directory.limit_api_key($1, $2, $3)`;
const END = `select directory.end_api_key($1, $2)`;
const REVOKE = `select directory.revoke_api_key($1, $2)`;

/** API keys that are not deleted, with the state of their credentials in the directory. */
@Injectable()
export class ApiKeysRepository extends ResourceRepository<ApiKey> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, ApiKey);
  }

  override async all(guard: Guard = LIVE): Promise<ApiKey[]> {
    return this.withCredentials(await super.all(guard), null);
  }

  /** Valid keys whose coming expiry has not been announced. */
  async untold(): Promise<ApiKey[]> {
    const untold: Guard = (add) => `${LIVE(add)} and t.notified_at is null`;
    return (await this.all(untold)).filter(({ expiresAt, revokedAt }) => expiresAt !== null && revokedAt === null);
  }

  override async find(id: string): Promise<ApiKey | null> {
    const row = await super.find(id, LIVE);
    return row && (await this.withCredentials([row], id))[0]!;
  }

  override async lock(
    transaction: Transaction,
    id: string,
    guard: Guard | null = null,
    marks: Marks | null = null,
  ): Promise<ApiKey | null> {
    const row = await super.lock(transaction, id, guard ?? LIVE, marks);
    return row && (await this.withCredentials([row], id))[0]!;
  }

  /** The statement that updates the rights of the valid secrets of a key. */
  spread({ id, name, scopes, allowProtected, ipAllowList, expiresAt }: ApiKey, at: string): Statement {
    return statement(CHANGE, [id, name, scopes, allowProtected, ipAllowList, expiresAt, at]);
  }

  /** The statement that sets the rate limits of a key, for all its secrets. */
  limit({ id, readsPerMinute, writesPerMinute }: Pick<ApiKey, 'id' | 'readsPerMinute' | 'writesPerMinute'>): Statement {
    return statement(LIMIT, [id, readsPerMinute, writesPerMinute]);
  }

  /** The statement that limits the expiry of all existing secrets of a key. */
  end(id: string, at: string): Statement {
    return statement(END, [id, at]);
  }

  revoke(id: string, at: string): Statement {
    return statement(REVOKE, [id, at]);
  }

  private async withCredentials(rows: readonly ApiKey[], id: string | null): Promise<ApiKey[]> {
    const known = await this.database.read<Partial<ApiKey> & { id: string }>(statement(CREDENTIALS, [id]));
    const byId = new Map(known.map((each) => [each.id, each]));
    return rows.map((row) => ({ ...row, ...byId.get(row.id) }));
  }
}
