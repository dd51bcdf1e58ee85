import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Proposal } from './proposal.js';

const COSTS = `select id, cost_minor as cost from data.sales_products
  where tenant_id = $1 and id = any($2::uuid[]) and currency = $3 and cost_minor is not null`;
const LOCK_DEAL = `select id from data.sales_deals where tenant_id = $1
  and id = (select deal_id from data.proposals_proposals where tenant_id = $1 and id = $2) for no key update`;
const OF_DEAL = `select id from data.proposals_proposals where tenant_id = $1 and deal_id = $2`;
const ACCEPTED = `${OF_DEAL} and status = 'accepted' order by created_at, id limit 50`;
const OPEN = `${OF_DEAL} and status in ('draft', 'pending_approval', 'approved', 'sent', 'viewed')
  and deleted_at is null order by id`;
const SENT = `select number from data.proposals_proposals
  where tenant_id = $1 and deal_id = $2 and sent_at is not null and deleted_at is null limit 1`;
const JUDGED = `select 1 from data.home_approvals where tenant_id = $1 and target_id = $2 and gate = 'proposal.send'
  and action = 'approve' and status = 'executed' limit 1`;
const INVOICE = `select coalesce(number, reference) as number from data.finance_invoices
  where tenant_id = $1 and proposal_id = $2 and status <> 'void' and deleted_at is null limit 1`;
const NEWEST_SENT = `select id from data.proposals_proposals
  where tenant_id = $1 and root_id = (select root_id from data.proposals_proposals where tenant_id = $1 and id = $2)
    and sent_at is not null and deleted_at is null
  order by version_number desc limit 1`;
const COUNT_VIEW = `update data.proposals_proposals set view_count = view_count + 1 where tenant_id = $1 and id = $2`;
const ADDRESS = `select coalesce(
  (select c.emails ->> 0 from data.sales_contacts c where c.tenant_id = $1 and c.id = $2 and c.deleted_at is null),
  (select a.billing_email from data.sales_accounts a where a.tenant_id = $1 and a.id = $3 and a.deleted_at is null)
  ) as email`;

@Injectable()
export class ProposalsRepository extends ResourceRepository<Proposal> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Proposal);
  }

  /** What one of each product costs, in minor units, of those whose cost is known in the currency. */
  async costsOf(productIds: readonly string[], currency: string): Promise<Map<string, number>> {
    if (productIds.length === 0) return new Map();
    const rows = await this.of<{ id: string; cost: number }>(COSTS, productIds, currency);
    return new Map(rows.map(({ id, cost }) => [id, cost]));
  }

  /** The statement that locks the deal of a proposal. */
  lockDeal(id: string): Statement {
    return statement(LOCK_DEAL, [currentTenant().id, id]);
  }

  /** Ids of the accepted proposals of a deal, oldest first. */
  acceptedOf(dealId: string): Promise<string[]> {
    return this.ids(ACCEPTED, dealId);
  }

  /** Ids of the proposals of a deal that can still be accepted or sent. */
  openOf(dealId: string): Promise<string[]> {
    return this.ids(OPEN, dealId);
  }

  /** Number of a proposal of a deal that was sent; null if there is none. */
  async sentOf(dealId: string): Promise<string | null> {
    return (await this.of<{ number: string }>(SENT, dealId))[0]?.number ?? null;
  }

  /** Whether approvers have decided at the gate on the approval of a proposal. */
  async wasJudged(id: string): Promise<boolean> {
    return (await this.of(JUDGED, id)).length > 0;
  }

  /** Number of the invoice of a proposal that is neither void nor deleted; null if there is none. */
  async invoiceOf(id: string): Promise<string | null> {
    return (await this.of<{ number: string }>(INVOICE, id))[0]?.number ?? null;
  }

  /** Id of the newest version of a proposal that was sent; null if none was. */
  async newestSent(id: string): Promise<string | null> {
    return (await this.ids(NEWEST_SENT, id))[0] ?? null;
  }

  /** The statement that counts that a proposal was opened. */
  countView(id: string): Statement {
    return statement(COUNT_VIEW, [currentTenant().id, id]);
  }

  /** Where the customer of a proposal gets mail; null if nothing is known. */
  async addressOf({ contactId, accountId }: Proposal): Promise<string | null> {
    return (await this.of<{ email: string | null }>(ADDRESS, contactId, accountId))[0]?.email ?? null;
  }

  private async ids(text: string, value: unknown): Promise<string[]> {
    return (await this.of<{ id: string }>(text, value)).map(({ id }) => id);
  }

  private of<R extends object>(text: string, ...values: readonly unknown[]): Promise<R[]> {
    return this.database.read<R>(statement(text, [currentTenant().id, ...values]));
  }
}
