import { Injectable } from '@nestjs/common';
import type { ModelPrice } from '#libs/ai/price.js';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { type Actor, currentTenant } from '#libs/tenancy/scope.js';
import { AiModel } from './model.js';
import { namedByPolicy } from './policy-uses.js';
import type { ProviderApi } from './provider.js';

/** A model with its prices and the columns of its provider. */
export interface StoredModel extends AiModel {
  provider: string;
  api: ProviderApi;
  providerRegion: string | null;
  providerEnabled: boolean;
  prices: ModelPrice[];
}

const PRICES = `coalesce((select json_agg(json_build_object('from', to_char(x.from_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'inputMicrosPer1k', x.input_micros_per_1k, 'outputMicrosPer1k', x.output_micros_per_1k,
    'cachedMicrosPer1k', x.cached_micros_per_1k) order by x.from_at)
  from data.ai_model_prices x where x.tenant_id = m.tenant_id and x.model_id = m.id), '[]') as prices`;
const COLUMNS = `m.id, m.provider_id as "providerId", p.key as provider, p.api, p.region as "providerRegion",
  p.enabled as "providerEnabled", m.key, m.name, m.context_tokens as "contextTokens",
  m.max_output_tokens as "maxOutputTokens", ${PRICES}, m.regions, m.capabilities, m.enabled, m.is_default as "isDefault",
  m.version, m.created_at as "createdAt", m.created_by as "createdBy", m.updated_at as "updatedAt", null as "deletedAt"`;
const FROM = `from data.ai_models m join data.ai_providers p on p.tenant_id = m.tenant_id and p.id = m.provider_id
  where m.tenant_id = $1 and m.deleted_at is null`;
const LIST = `select ${COLUMNS} ${FROM} order by p.key, m.key limit 200`;
const FIND = `select ${COLUMNS} ${FROM} and m.id = $2`;
const ADD_PRICE = `insert into data.ai_model_prices (tenant_id, model_id, from_at, input_micros_per_1k, output_micros_per_1k,
    cached_micros_per_1k, created_at, created_by) values ($1, $2, $3, $4, $5, $6, $7, $8)`;
const USED_BY = `select 'agent ' || a.reference as use from data.intelligence_agents a
  where a.tenant_id = $1 and a.model = $2 and (a.provider is null or a.provider = $3)
    and a.deleted_at is null and a.status <> 'retired'
  union all ${namedByPolicy('allowedModels', '$2')} limit 5`;

/** AI models of the current tenant, without the built-in one. */
@Injectable()
export class ModelsRepository extends ResourceRepository<AiModel> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, AiModel);
  }

  /** Ordered by provider and key. */
  list(): Promise<StoredModel[]> {
    return this.database.read(statement(LIST, [currentTenant().id]));
  }

  /** A model that the transaction has locked. */
  async read(transaction: Transaction, id: string): Promise<StoredModel> {
    const tenantId = currentTenant().id;
    const [row] = await transaction.query<StoredModel>(statement(FIND, [tenantId, id]));
    return { ...row!, tenantId };
  }

  /** Descriptions of what uses a model; only the first few. */
  async usedBy(transaction: Transaction, { key, provider }: StoredModel): Promise<string[]> {
    const rows = await transaction.query<{ use: string }>(statement(USED_BY, [currentTenant().id, key, provider]));
    return rows.map(({ use }) => use);
  }

  addPrice(modelId: string, price: ModelPrice, at: string, by: Actor): Statement {
    const { from, inputMicrosPer1k, outputMicrosPer1k, cachedMicrosPer1k } = price;
    const costs = [inputMicrosPer1k, outputMicrosPer1k, cachedMicrosPer1k];
    return statement(ADD_PRICE, [currentTenant().id, modelId, from, ...costs, at, JSON.stringify(by)]);
  }
}
