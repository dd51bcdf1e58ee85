import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const BY_KEY = `select id from data.ai_prompts
  where tenant_id = $1 and key = $2 and deleted_at is null and archived_at is null`;

/** The id of the prompt with a key; no row if jobs cannot use such a prompt. */
export const idOfKey = (key: string): Statement => statement(BY_KEY, [currentTenant().id, key]);
