import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const DEFAULT = `select id from data.sales_pipelines where tenant_id = $1 and is_default`;
const LOCK_DEFAULT = `${DEFAULT} for no key update`;
const USED = `select from data.sales_deals where tenant_id = $1 and pipeline_id = $2 limit 1`;

/** The id of the default pipeline; no row before the tenant has one. */
export const defaultId = (): Statement => statement(DEFAULT, [currentTenant().id]);

/** Like {@link defaultId}, locked. Also no row if another pipeline became the default while waiting for the lock. */
export const lockDefaultId = (): Statement => statement(LOCK_DEFAULT, [currentTenant().id]);

/** A row if any deal, including deals in the trash, is in the pipeline. */
export const dealOf = (id: string): Statement => statement(USED, [currentTenant().id, id]);
