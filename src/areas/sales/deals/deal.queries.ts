import { type Guard, guarded } from '#libs/access/guard.js';
import { exactSum } from '#libs/database/exact-sum.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { PipelineStage } from '../pipelines/pipeline.stages.js';

const FIGURES = `select stage, currency, count(*)::integer as count, count(value_minor)::integer as valued,
    ${exactSum('coalesce(sum(value_minor), 0)')} as "valueMinor",
    ${exactSum('coalesce(sum((value_minor * probability + 50) / 100), 0)')} as "weightedValueMinor"
  from data.sales_deals t
  where tenant_id = $1 and pipeline_id = $2 and deleted_at is null and archived_at is null`;
const BY_STAGE = ` group by stage, currency order by currency`;
const OF_CONTACT = `select d.id from data.sales_deal_contacts x
    join data.sales_deals d on d.tenant_id = x.tenant_id and d.id = x.deal_id
  where x.tenant_id = $1 and x.contact_id = $2 and d.deleted_at is null`;
const OF_CONTACT_IN_ORDER = `${OF_CONTACT} order by d.id`;
const HAS_CONTACT = `${OF_CONTACT} limit 1`;
const REPLACE_IN_TRASH = `update data.sales_deals d set version = version + 1,
    primary_contact_id = case primary_contact_id when $2 then $3 else primary_contact_id end,
    contact_ids = (select coalesce(jsonb_agg(distinct case each when $2::text then $3::text else each end), '[]')
      from jsonb_array_elements_text(contact_ids) each)
  from data.sales_deal_contacts x
  where x.tenant_id = $1 and x.contact_id = $2 and d.tenant_id = x.tenant_id and d.id = x.deal_id
    and d.deleted_at is not null`;

/** Totals per stage and currency of the deals that a guard allows; without a guard, an index-only scan. */
export const figures = (pipelineId: string, guard: Guard | null): Statement =>
  guarded(FIGURES, [currentTenant().id, pipelineId], guard, BY_STAGE);

/** Deals of a pipeline outside the trash that are in none of its stages, each given with its category. */
export function inOtherStages(pipelineId: string, kept: readonly PipelineStage[], limit: number): Guard {
  const places = kept.map(({ key, category }) => `${key} ${category}`);
  return (add) => `(t.id = any(array(select d.id from data.sales_deals d where d.tenant_id = t.tenant_id
    and d.pipeline_id = ${add(pipelineId)} and d.stage || ' ' || d.status <> all(${add(places)}::text[])
    and d.deleted_at is null order by d.id limit ${add(limit)})))`;
}

/** Ids of the deals outside the trash that reference a contact. */
export const idsOfContact = (contactId: string): Statement =>
  statement(OF_CONTACT_IN_ORDER, [currentTenant().id, contactId]);

/** A row if a deal outside the trash references the contact. */
export const anyOfContact = (contactId: string): Statement => statement(HAS_CONTACT, [currentTenant().id, contactId]);

/** Replaces a contact on deals in the trash, so that they can be restored. */
export const replaceInTrash = (from: string, into: string): Statement =>
  statement(REPLACE_IN_TRASH, [currentTenant().id, from, into]);
