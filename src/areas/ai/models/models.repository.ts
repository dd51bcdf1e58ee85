import { Injectable } from '@nestjs/common';
import type { ModelPrice } from '#libs/ai/price.js';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { currentTenant, type Actor } from '#libs/tenancy/scope.js';
import type { AiModelView } from './model.dto.js';
import { namedByPolicy } from './policy-uses.js';
import type { ProviderApi } from './provider.dto.js';

/** A model as it is kept, with what it has of its provider. */
export interface StoredModel extends Omit<AiModelView, 'object' | 'isBuiltIn' | 'price'> {
  providerId: string;
  api: ProviderApi;
  providerRegion: string | null;
  providerEnabled: boolean;
  createdAt: string;
  createdBy: NonNullable<AiModelView['createdBy']>;
  updatedAt: string;
}

const PRICES = `coalesce((select json_agg(json_build_object('from', to_char(x.from_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'inputMicrosPer1k', x.input_micros_per_1k, 'outputMicrosPer1k', x.output_micros_per_1k,
    'cachedMicrosPer1k', x.cached_micros_per_1k) order by x.from_at)
  from data.ai_model_prices x where x.tenant_id = m.tenant_id and x.model_id = m.id), '[]') as prices`;
const COLUMNS = `m.id, m.provider_id as "providerId", p.key as provider, p.api, p.region as "providerRegion",
  p.enabled as "providerEnabled", m.key, m.name, m.context_tokens as "contextTokens",
  m.max_output_tokens as "maxOutputTokens", ${PRICES}, m.regions, m.capabilities, m.enabled, m.is_default as "isDefault",
  m.version, m.created_at as "createdAt", m.created_by as "createdBy", m.updated_at as "updatedAt"`;
const FROM = `from data.ai_models m join data.ai_providers p on p.tenant_id = m.tenant_id and p.id = m.provider_id
  where m.tenant_id = $1 and m.deleted_at is null`;
const LIST = `select ${COLUMNS} ${FROM} order by p.key, m.key limit 200`;
const FIND = `select ${COLUMNS} ${FROM} and m.id = $2`;
const LOCK = `${FIND} for update of m`;
const COUNT = `select count(*)::int as count from data.ai_models where tenant_id = $1 and deleted_at is null`;
const INSERT = `insert into data.ai_models (tenant_id, id, provider_id, key, name, context_tokens, max_output_tokens, regions,
    capabilities, enabled, is_default, version, created_at, created_by, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`;
const SAVE = `update data.ai_models set name = $3, context_tokens = $4, max_output_tokens = $5, regions = $6,
    capabilities = $7, enabled = $8, is_default = $9, version = $10, updated_at = $11 where tenant_id = $1 and id = $2`;
const BURY = `update data.ai_models set deleted_at = $3, updated_at = $3, is_default = false, version = version + 1
  where tenant_id = $1 and id = $2`;
const ADD_PRICE = `insert into data.ai_model_prices (tenant_id, model_id, from_at, input_micros_per_1k, output_micros_per_1k,
    cached_micros_per_1k, created_at, created_by) values ($1, $2, $3, $4, $5, $6, $7, $8)`;
const USED_BY = `select 'agent ' || a.reference as use from data.intelligence_agents a
  where a.tenant_id = $1 and a.model = $2 and (a.provider is null or a.provider = $3)
    and a.deleted_at is null and a.status <> 'retired'
  union all ${namedByPolicy('allowedModels', '$2')} limit 5`;

/** AI models of the tenant in scope, without the built-in one. */
@Injectable()
export class ModelsRepository {
  constructor(private readonly database: Database) {}

  /** By provider and key. */
  list(): Promise<StoredModel[]> {
    return this.database.read(statement(LIST, [currentTenant().id]));
  }

  async find(id: string): Promise<StoredModel | null> {
    const [row] = await this.database.read<StoredModel>(statement(FIND, [currentTenant().id, id]));
    return row ?? null;
  }

  /** A model that nobody else changes until the transaction ends; null when there is none. */
  async lock(transaction: Transaction, id: string): Promise<StoredModel | null> {
    const [row] = await transaction.query<StoredModel>(statement(LOCK, [currentTenant().id, id]));
    return row ?? null;
  }

  async count(transaction: Transaction): Promise<number> {
    const [row] = await transaction.query<{ count: number }>(statement(COUNT, [currentTenant().id]));
    return row!.count;
  }

  /** What a model is used by, in words; a few of it. */
  async usedBy(transaction: Transaction, { key, provider }: StoredModel): Promise<string[]> {
    const rows = await transaction.query<{ use: string }>(statement(USED_BY, [currentTenant().id, key, provider]));
    return rows.map(({ use }) => use);
  }

  insert(model: StoredModel): Statement {
    const { id, providerId, key, name, contextTokens, maxOutputTokens, regions, capabilities, enabled } = model;
    const { isDefault, version, createdAt, createdBy, updatedAt } = model;
    const first = [
      currentTenant().id,
      id,
      providerId,
      key,
      name,
      contextTokens,
      maxOutputTokens,
      regions,
      capabilities,
    ];
    return statement(INSERT, [...first, enabled, isDefault, version, createdAt, JSON.stringify(createdBy), updatedAt]);
  }

  save(model: StoredModel): Statement {
    const { id, name, contextTokens, maxOutputTokens, regions, capabilities, enabled, isDefault, version } = model;
    const first = [currentTenant().id, id, name, contextTokens, maxOutputTokens, regions, capabilities, enabled];
    return statement(SAVE, [...first, isDefault, version, model.updatedAt]);
  }

  /** The row stays, for what names it. */
  bury(id: string, at: string): Statement {
    return statement(BURY, [currentTenant().id, id, at]);
  }

  addPrice(modelId: string, price: ModelPrice, at: string, by: Actor): Statement {
    const { from, inputMicrosPer1k, outputMicrosPer1k, cachedMicrosPer1k } = price;
    const costs = [inputMicrosPer1k, outputMicrosPer1k, cachedMicrosPer1k];
    return statement(ADD_PRICE, [currentTenant().id, modelId, from, ...costs, at, JSON.stringify(by)]);
  }
}
