import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { SecretFacts, SecretUse, SecretView } from './secret.dto.js';

/** A secret as it is kept, without its values. */
export interface StoredSecret extends Omit<SecretFacts, 'object'> {
  fingerprint: string;
  updatedAt: string;
  /** How many days before it expires that was last told. */
  notifiedDays: number | null;
}

/** What is known of its use besides. */
export type SecretFigures = Pick<SecretView, 'previousUsableUntil' | 'lastUsedAt' | 'usedBy'>;

/** A value that can be used. */
export interface SealedVersion {
  id: string;
  sealed: string;
}

/** Which secrets a list is about. */
export interface SecretSelection {
  kind: string | null;
  q: string | null;
  expiringBefore: string | null;
  unusedSince: string | null;
}

const COLUMNS = `s.id, s.name, s.kind, s.description, s.version, s.fingerprint, s.created_by as "createdBy",
  s.created_at as "createdAt", s.updated_at as "updatedAt", s.rotated_at as "rotatedAt", s.expires_at as "expiresAt",
  s.notified_days as "notifiedDays"`;
const USES = `select 'ai.provider' as object, p.id from data.ai_providers p
  where p.tenant_id = s.tenant_id and p.secret_name = s.name and p.deleted_at is null`;
const FIGURES = `s.last_used_at as "lastUsedAt",
  (select max(v.usable_until) from data.secret_versions v
    where v.tenant_id = s.tenant_id and v.secret_id = s.id and v.usable_until > $2) as "previousUsableUntil",
  coalesce((select json_agg(u) from (${USES} order by p.id limit 200) u), '[]') as "usedBy"`;
const LIST = `select ${COLUMNS}, ${FIGURES} from data.secrets s
  where s.tenant_id = $1 and ($3::uuid is null or s.id = $3) and ($4::text is null or s.kind = $4)
    and ($5::text is null or position(data.fold($5) in data.fold(s.name || ' ' || coalesce(s.description, ''))) > 0)
    and ($6::timestamptz is null or s.expires_at <= $6)
    and ($7::timestamptz is null or greatest(s.last_used_at, s.rotated_at, s.created_at) <= $7)
  order by s.name limit 200`;
const LOCK = `select ${COLUMNS} from data.secrets s where s.tenant_id = $1 and s.id = $2 for update`;
const LOCK_NAMED = `select ${COLUMNS} from data.secrets s where s.tenant_id = $1 and s.name = $2 for update`;
const COUNT = `select count(*)::int as count from data.secrets where tenant_id = $1`;
const USED_BY = `select u.object, u.id from data.secrets s cross join lateral (${USES}) u
  where s.tenant_id = $1 and s.id = $2 order by u.id limit 200`;
const INSERT = `insert into data.secrets (tenant_id, id, name, kind, description, version, fingerprint, created_by,
    created_at, updated_at, rotated_at, expires_at, notified_days)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`;
const SAVE = `update data.secrets set kind = $3, description = $4, version = $5, fingerprint = $6, updated_at = $7,
    rotated_at = $8, expires_at = $9, notified_days = $10 where tenant_id = $1 and id = $2`;
const REMOVE = `delete from data.secrets where tenant_id = $1 and id = $2`;
const ADD_VERSION = `insert into data.secret_versions (tenant_id, id, secret_id, version, sealed, created_at)
  values ($1, $2, $3, $4, $5, $6)`;
const END_VERSIONS = `update data.secret_versions set usable_until = $4
  where tenant_id = $1 and secret_id = $2 and version = $3`;
const DESTROY = `delete from data.secret_versions where tenant_id = $1 and secret_id = $2 and version < $3`;
const DESTROY_ENDED = `delete from data.secret_versions
  where tenant_id = $1 and secret_id = $2 and usable_until <= $3`;
const USABLE = `select v.id, v.sealed from data.secrets s
    join data.secret_versions v on v.tenant_id = s.tenant_id and v.secret_id = s.id
  where s.tenant_id = $1 and s.name = $2 and (s.expires_at is null or s.expires_at > $3)
    and (v.version = s.version or v.usable_until > $3) order by v.version desc limit 2`;
const TOUCH = `update data.secrets set last_used_at = $3
  where tenant_id = $1 and name = $2 and (last_used_at is null or last_used_at < $3)`;

/** Secrets of the tenant in scope, and their sealed values. */
@Injectable()
export class SecretsRepository {
  constructor(private readonly database: Database) {}

  /** Those that are selected, or the one with an id, by name. */
  list(
    at: string,
    id: string | null,
    { kind, q, expiringBefore, unusedSince }: SecretSelection,
  ): Promise<(StoredSecret & SecretFigures)[]> {
    return this.database.read(statement(LIST, [currentTenant().id, at, id, kind, q, expiringBefore, unusedSince]));
  }

  /** A secret that nobody else changes until the transaction ends; null when there is none. */
  lock(transaction: Transaction, id: string): Promise<StoredSecret | null> {
    return one(transaction, statement(LOCK, [currentTenant().id, id]));
  }

  /** As {@link lock}, by name. */
  lockNamed(transaction: Transaction, name: string): Promise<StoredSecret | null> {
    return one(transaction, statement(LOCK_NAMED, [currentTenant().id, name]));
  }

  async count(transaction: Transaction): Promise<number> {
    const [row] = await transaction.query<{ count: number }>(statement(COUNT, [currentTenant().id]));
    return row!.count;
  }

  /** What refers to a secret. */
  usedBy(transaction: Transaction, id: string): Promise<SecretUse[]> {
    return transaction.query<SecretUse>(statement(USED_BY, [currentTenant().id, id]));
  }

  insert(secret: StoredSecret): Statement {
    const { id, name, kind, description, version, fingerprint, createdBy, createdAt } = secret;
    const { updatedAt, rotatedAt, expiresAt, notifiedDays } = secret;
    const first = [currentTenant().id, id, name, kind, description, version, fingerprint, JSON.stringify(createdBy)];
    return statement(INSERT, [...first, createdAt, updatedAt, rotatedAt, expiresAt, notifiedDays]);
  }

  save(secret: StoredSecret): Statement {
    const { id, kind, description, version, fingerprint, updatedAt, rotatedAt, expiresAt, notifiedDays } = secret;
    const first = [currentTenant().id, id, kind, description, version, fingerprint];
    return statement(SAVE, [...first, updatedAt, rotatedAt, expiresAt, notifiedDays]);
  }

  remove(id: string): Statement {
    return statement(REMOVE, [currentTenant().id, id]);
  }

  addVersion(id: string, secretId: string, version: number, sealed: string, at: string): Statement {
    return statement(ADD_VERSION, [currentTenant().id, id, secretId, version, sealed, at]);
  }

  /** Has one value be usable until an instant. */
  endVersion(secretId: string, version: number, until: string): Statement {
    return statement(END_VERSIONS, [currentTenant().id, secretId, version, until]);
  }

  /** Destroys the values before a version. */
  destroy(secretId: string, before: number): Statement {
    return statement(DESTROY, [currentTenant().id, secretId, before]);
  }

  /** Destroys the values whose time has passed. */
  destroyEnded(secretId: string, at: string): Statement {
    return statement(DESTROY_ENDED, [currentTenant().id, secretId, at]);
  }

  /** The values that can be used, the newest first. */
  usable(name: string, at: string): Promise<SealedVersion[]> {
    return this.database.read(statement(USABLE, [currentTenant().id, name, at]));
  }

  touch(name: string, at: string): Statement {
    return statement(TOUCH, [currentTenant().id, name, at]);
  }
}

async function one(transaction: Transaction, query: Statement): Promise<StoredSecret | null> {
  const [row] = await transaction.query<StoredSecret>(query);
  return row ?? null;
}
