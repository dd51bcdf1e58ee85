import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { LIVING } from './maybe-built-in.js';
import { namedByPolicy } from './policy-uses.js';
import { AiProvider } from './provider.js';

const LOCK_SECRET = `select 1 from data.secrets where tenant_id = $1 and name = $2 for share`;
const USED_BY = `
  select 'model ' || m.key as use from data.ai_models m
    where m.tenant_id = $1 and m.provider_id = $2 and m.deleted_at is null
  union all select 'agent ' || a.reference from data.intelligence_agents a
    where a.tenant_id = $1 and a.provider = $3 and a.deleted_at is null and a.status <> 'retired'
  union all ${namedByPolicy('allowedProviders', '$3')}
  limit 5`;

/** AI providers of the current tenant, without the built-in one. */
@Injectable()
export class ProvidersRepository extends ResourceRepository<AiProvider> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, AiProvider);
  }

  /** Ordered by key. */
  async list(): Promise<AiProvider[]> {
    return (await this.all(LIVING)).sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  async findKey(key: string): Promise<AiProvider | null> {
    const [row] = await this.all((add) => `${LIVING(add)} and t.key = ${add(key)}`);
    return row ?? null;
  }

  /** The provider with a key, locked against changes and deletion until the transaction ends. */
  async lockKey(transaction: Transaction, key: string): Promise<AiProvider | null> {
    const [row] = await this.lockAll(transaction, (add) => `${LIVING(add)} and t.key = ${add(key)}`);
    return row ?? null;
  }

  /** Whether a secret with this name exists. Locks it against deletion until the transaction ends. */
  async hasSecret(transaction: Transaction, name: string): Promise<boolean> {
    return (await transaction.query(statement(LOCK_SECRET, [currentTenant().id, name]))).length > 0;
  }

  /** Descriptions of what uses a provider; only the first few. */
  async usedBy(transaction: Transaction, { id, key }: AiProvider): Promise<string[]> {
    const rows = await transaction.query<{ use: string }>(statement(USED_BY, [currentTenant().id, id, key]));
    return rows.map(({ use }) => use);
  }
}
