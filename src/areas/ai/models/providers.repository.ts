import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { namedByPolicy } from './policy-uses.js';
import type { AiProviderView } from './provider.dto.js';

/** A provider as it is kept. */
export interface StoredProvider extends Omit<AiProviderView, 'object' | 'isBuiltIn'> {
  api: 'openai' | 'anthropic';
  baseUrl: string;
  createdAt: string;
  createdBy: NonNullable<AiProviderView['createdBy']>;
  updatedAt: string;
}

const COLUMNS = `p.id, p.key, p.name, p.api, p.base_url as "baseUrl", p.secret_name as "secretName", p.region,
  p.is_idempotent as "isIdempotent", p.enabled, p.version, p.created_at as "createdAt", p.created_by as "createdBy",
  p.updated_at as "updatedAt"`;
const LIST = `select ${COLUMNS} from data.ai_providers p where p.tenant_id = $1 and p.deleted_at is null order by p.key limit 200`;
const FIND = `select ${COLUMNS} from data.ai_providers p where p.tenant_id = $1 and p.id = $2 and p.deleted_at is null`;
const FIND_KEY = `select ${COLUMNS} from data.ai_providers p where p.tenant_id = $1 and p.key = $2 and p.deleted_at is null`;
const LOCK = `${FIND} for update`;
const SHARE = `${FIND_KEY} for share`;
const COUNT = `select count(*)::int as count from data.ai_providers where tenant_id = $1 and deleted_at is null`;
const INSERT = `insert into data.ai_providers (tenant_id, id, key, name, api, base_url, secret_name, region, is_idempotent,
    enabled, version, created_at, created_by, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`;
const SAVE = `update data.ai_providers set name = $3, base_url = $4, secret_name = $5, region = $6, is_idempotent = $7,
    enabled = $8, version = $9, updated_at = $10 where tenant_id = $1 and id = $2`;
const BURY = `update data.ai_providers set deleted_at = $3, updated_at = $3, version = version + 1
  where tenant_id = $1 and id = $2`;
const LOCK_SECRET = `select 1 from data.secrets where tenant_id = $1 and name = $2 for share`;
const USED_BY = `
  select 'model ' || m.key as use from data.ai_models m
    where m.tenant_id = $1 and m.provider_id = $2 and m.deleted_at is null
  union all select 'agent ' || a.reference from data.intelligence_agents a
    where a.tenant_id = $1 and a.provider = $3 and a.deleted_at is null and a.status <> 'retired'
  union all ${namedByPolicy('allowedProviders', '$3')}
  limit 5`;

/** AI providers of the tenant in scope, without the built-in one. */
@Injectable()
export class ProvidersRepository {
  constructor(private readonly database: Database) {}

  list(): Promise<StoredProvider[]> {
    return this.database.read(statement(LIST, [currentTenant().id]));
  }

  async find(id: string): Promise<StoredProvider | null> {
    const [row] = await this.database.read<StoredProvider>(statement(FIND, [currentTenant().id, id]));
    return row ?? null;
  }

  async findKey(key: string): Promise<StoredProvider | null> {
    const [row] = await this.database.read<StoredProvider>(statement(FIND_KEY, [currentTenant().id, key]));
    return row ?? null;
  }

  /** A provider that nobody else changes until the transaction ends; null when there is none. */
  async lock(transaction: Transaction, id: string): Promise<StoredProvider | null> {
    const [row] = await transaction.query<StoredProvider>(statement(LOCK, [currentTenant().id, id]));
    return row ?? null;
  }

  /** The provider with a key, which nobody deletes until the transaction ends. */
  async share(transaction: Transaction, key: string): Promise<StoredProvider | null> {
    const [row] = await transaction.query<StoredProvider>(statement(SHARE, [currentTenant().id, key]));
    return row ?? null;
  }

  async count(transaction: Transaction): Promise<number> {
    const [row] = await transaction.query<{ count: number }>(statement(COUNT, [currentTenant().id]));
    return row!.count;
  }

  /** Whether there is a secret with a name; then nobody deletes it until the transaction ends. */
  async hasSecret(transaction: Transaction, name: string): Promise<boolean> {
    return (await transaction.query(statement(LOCK_SECRET, [currentTenant().id, name]))).length > 0;
  }

  /** What a provider is used by, in words; a few of it. */
  async usedBy(transaction: Transaction, { id, key }: StoredProvider): Promise<string[]> {
    const rows = await transaction.query<{ use: string }>(statement(USED_BY, [currentTenant().id, id, key]));
    return rows.map(({ use }) => use);
  }

  insert(provider: StoredProvider): Statement {
    const { id, key, name, api, baseUrl, secretName, region, isIdempotent, enabled, version } = provider;
    const { createdAt, createdBy, updatedAt } = provider;
    const first = [currentTenant().id, id, key, name, api, baseUrl, secretName, region, isIdempotent, enabled, version];
    return statement(INSERT, [...first, createdAt, JSON.stringify(createdBy), updatedAt]);
  }

  save(provider: StoredProvider): Statement {
    const { id, name, baseUrl, secretName, region, isIdempotent, enabled, version, updatedAt } = provider;
    const first = [currentTenant().id, id, name, baseUrl, secretName, region, isIdempotent, enabled, version];
    return statement(SAVE, [...first, updatedAt]);
  }

  /** The row stays, for what names it. */
  bury(id: string, at: string): Statement {
    return statement(BURY, [currentTenant().id, id, at]);
  }
}
