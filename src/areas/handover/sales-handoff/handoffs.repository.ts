import { Injectable } from '@nestjs/common';
import type { Guard } from '#libs/access/guard.js';
import type { StartedItem } from '#libs/checklists/checklist.js';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { Cursors } from '#libs/kernel/cursor.js';
import type { ListRequest } from '#libs/resource/lists/list-query.js';
import { type Page, ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Handoff, type HandoffFile } from './handoff.js';
import { handoffList, IS_OPEN, OVERDUE } from './handoff-list.js';
import type { HandoffStats, HandoffWarning } from './handoff.requests.js';

const MAX_WARNINGS = 50;

const CHECKLISTS = `select id, items from data.checklists where tenant_id = $1 and id = any($2::uuid[])`;
const FILES = `select record_id as "dealId", id, file_id as "fileId", file_name as "fileName", label, url from data.attachments
  where tenant_id = $1 and record_id = any($2::uuid[]) order by created_at, id`;
const SKIP = `insert into data.sales_handoff_skips (tenant_id, deal_id, at) values ($1, $2, $3)
  on conflict (tenant_id, deal_id) do update set at = excluded.at`;
const FORGET_SKIP = 'delete from data.sales_handoff_skips where tenant_id = $1 and deal_id = $2';
const OF_ACCOUNT = `select id from data.sales_handoffs where tenant_id = $1 and account_id = $2 order by id`;
const LEAD = `select lead_id as "leadId" from data.workspaces where tenant_id = $1 and id = $2`;
const ACTIVE = `select id from data.memberships where tenant_id = $1 and id = $2 and status = 'active' and deleted_at is null`;

const stats = (seen: string, now: string): string => `
  select (count(*) filter (where ${IS_OPEN}))::int as open,
    (count(*) filter (where ${OVERDUE.replaceAll(':now', now)}))::int as overdue,
    round((percentile_cont(0.5) within group (order by extract(epoch from t.accepted_at - t.submitted_at)::float8 / 86400)
      filter (where t.accepted_at is not null))::numeric, 2)::float8 as "medianDaysToAccept",
    round(count(*) filter (where t.return_count > 0)::numeric
      / nullif(count(*) filter (where t.submitted_at is not null), 0), 4)::float8 as "returnRate"
  from data.sales_handoffs t where t.tenant_id = $1 and ${seen}`;

const warnings = (seen: string): string => `
  select 'handoff_skipped_no_account' as code, t.id as "dealId", t.name as "dealName", s.at
  from data.sales_handoff_skips s join data.sales_deals t on t.tenant_id = s.tenant_id and t.id = s.deal_id
  where s.tenant_id = $1 and t.status = 'won' and t.deleted_at is null and ${seen}
  order by s.at desc, t.id limit ${MAX_WARNINGS}`;

/** Handoffs, and what a response adds to them. */
@Injectable()
export class HandoffsRepository extends ResourceRepository<Handoff> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Handoff);
  }

  list(request: ListRequest, guard: Guard | null): Promise<Page<Handoff>> {
    return this.page(request, handoffList, guard);
  }

  /** The handoff of a deal that is not cancelled; null if there is none. */
  async liveOf(dealId: string): Promise<Handoff | null> {
    const [live] = await this.all((add) => `t.deal_id = ${add(dealId)} and t.status <> 'cancelled'`);
    return live ?? null;
  }

  /** Ids of the handoffs of an account. */
  async idsOfAccount(accountId: string): Promise<string[]> {
    const rows = await this.database.read<{ id: string }>(statement(OF_ACCOUNT, [currentTenant().id, accountId]));
    return rows.map((row) => row.id);
  }

  /** Items of checklists, by the id of the checklist. */
  async checklistsOf(ids: readonly string[]): Promise<Map<string, StartedItem[]>> {
    if (ids.length === 0) return new Map();
    const query = statement(CHECKLISTS, [currentTenant().id, ids]);
    const rows = await this.database.read<{ id: string; items: StartedItem[] }>(query);
    return new Map(rows.map((row) => [row.id, row.items]));
  }

  /** Files of deals, by the id of the deal. */
  async filesOf(dealIds: readonly string[]): Promise<Map<string, HandoffFile[]>> {
    if (dealIds.length === 0) return new Map();
    const query = statement(FILES, [currentTenant().id, dealIds]);
    const rows = await this.database.read<HandoffFile & { dealId: string }>(query);
    return Map.groupBy(rows, ({ dealId }) => dealId);
  }

  /** Figures of the handoffs that the caller may see. */
  async stats(guard: Guard | null, now: string): Promise<HandoffStats> {
    const values: unknown[] = [currentTenant().id];
    const add = (value: unknown): string => `$${values.push(value)}`;
    const text = stats((guard ?? everything)(add), `${add(now)}::timestamptz`);
    const [row] = await this.database.read<HandoffStats & object>(statement(text, values));
    return row!;
  }

  /** Won deals for which no handoff was created, the newest first. `deals` are those that the caller may see. */
  warnings(deals: Guard | null): Promise<HandoffWarning[]> {
    const values: unknown[] = [currentTenant().id];
    const text = warnings((deals ?? everything)((value) => `$${values.push(value)}`));
    return this.database.read<HandoffWarning & object>(statement(text, values));
  }

  /** Records that no handoff was created for a deal. */
  skip(dealId: string, at: string): Statement {
    return statement(SKIP, [currentTenant().id, dealId, at]);
  }

  forgetSkip(dealId: string): Statement {
    return statement(FORGET_SKIP, [currentTenant().id, dealId]);
  }

  /** Membership of the lead of a workspace; null if it has none. */
  async leadOf(workspaceId: string): Promise<string | null> {
    const [row] = await this.database.read<{ leadId: string | null }>(
      statement(LEAD, [currentTenant().id, workspaceId]),
    );
    return row?.leadId ?? null;
  }

  async isActiveMember(membershipId: string): Promise<boolean> {
    return (await this.database.read(statement(ACTIVE, [currentTenant().id, membershipId]))).length > 0;
  }
}

const everything: Guard = () => 'true';
