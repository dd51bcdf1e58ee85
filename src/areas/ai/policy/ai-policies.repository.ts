import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { oneByOne } from '#libs/database/one-by-one.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { AiPolicyVersion } from './ai-policy-version.entity.js';

const NEWEST = `select id from data.ai_policies where tenant_id = $1 order by version desc limit 1`;
const ONE = `select id from data.ai_policies where tenant_id = $1 and version = $2`;
const PROVIDERS = `select key from data.ai_providers where tenant_id = $1 and deleted_at is null and key = any($2)`;
const MODELS = `select distinct key from data.ai_models where tenant_id = $1 and deleted_at is null and key = any($2)`;

@Injectable()
export class AiPoliciesRepository extends ResourceRepository<AiPolicyVersion> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, AiPolicyVersion);
  }

  /** The current version; null while the tenant has only defaults. */
  newest(): Promise<AiPolicyVersion | null> {
    return this.firstOf(statement(NEWEST, [currentTenant().id]));
  }

  /** A version by its number; null if it does not exist. */
  ofVersion(version: number): Promise<AiPolicyVersion | null> {
    return this.firstOf(statement(ONE, [currentTenant().id, version]));
  }

  /** Like {@link newest}, but blocks other changes of the policy and pauses until the transaction ends. */
  async lockNewest(transaction: Transaction): Promise<AiPolicyVersion | null> {
    await transaction.query(this.oneByOne());
    return this.newest();
  }

  oneByOne(): Statement {
    return oneByOne('ai_policies');
  }

  /** Which of the keys belong to providers of the tenant. */
  knownProviders(keys: readonly string[]): Promise<string[]> {
    return this.known(PROVIDERS, keys);
  }

  /** Which of the keys belong to models of the tenant. */
  knownModels(keys: readonly string[]): Promise<string[]> {
    return this.known(MODELS, keys);
  }

  private async known(text: string, keys: readonly string[]): Promise<string[]> {
    const rows = await this.database.read<{ key: string }>(statement(text, [currentTenant().id, keys]));
    return rows.map(({ key }) => key);
  }

  private async firstOf(query: Statement): Promise<AiPolicyVersion | null> {
    const [row] = await this.database.read<{ id: string }>(query);
    return row ? this.find(row.id) : null;
  }
}
