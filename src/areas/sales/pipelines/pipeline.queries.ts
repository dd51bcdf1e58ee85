import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { PipelineStage } from './pipeline.stages.js';

const DEFAULT = `select id from data.sales_pipelines where tenant_id = $1 and is_default`;
const LOCK_DEFAULT = `${DEFAULT} for no key update`;
const USED = `select from data.sales_deals
  where tenant_id = $1 and pipeline_id = $2 and deleted_at is null limit 1`;
const MOVE_TRASH = `update data.sales_deals set pipeline_id = $4, stage = $5, probability = $6, forecast_category = $7,
    stale_at = null, version = version + 1
  where tenant_id = $1 and pipeline_id = $2 and status = $3 and stage <> all($8) and deleted_at is not null`;

/** The id of the default pipeline; no row before the tenant has one. */
export const defaultId = (): Statement => statement(DEFAULT, [currentTenant().id]);

/** Like {@link defaultId}, locked. Also no row if another pipeline became the default while waiting for the lock. */
export const lockDefaultId = (): Statement => statement(LOCK_DEFAULT, [currentTenant().id]);

/** Checks at the end of the transaction that deals are in a stage of their pipeline. */
export const DEFER_STAGES = statement('set constraints data.sales_deals_stage_of_pipeline deferred');

/** Moves deals in the trash that are in none of the stages `kept` of a pipeline to a stage of the same category. */
export const moveTrash = (from: string, to: string, stage: PipelineStage, kept: readonly string[] = []): Statement => {
  const { category, key, probability, forecastCategory } = stage;
  return statement(MOVE_TRASH, [currentTenant().id, from, category, to, key, probability, forecastCategory, kept]);
};

/** A row if a deal outside the trash is in the pipeline. */
export const dealOf = (id: string): Statement => statement(USED, [currentTenant().id, id]);
