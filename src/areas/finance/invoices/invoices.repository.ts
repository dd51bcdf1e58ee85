import { Injectable } from '@nestjs/common';
import { type Guard, guarded } from '#libs/access/guard.js';
import { Database } from '#libs/database/database.js';
import { exactSum } from '#libs/database/exact-sum.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { MAX_LINES } from '#libs/lines/line.dto.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Invoice } from './invoice.js';

const OF_DEAL = `select number from data.finance_invoices i
  where tenant_id = $1 and deal_id = $2 and status not in ('draft', 'void')
    and total_minor is distinct from (select sum(c.total_minor) from data.finance_credit_notes c
      where c.tenant_id = $1 and c.invoice_id = i.id and c.status in ('issued', 'applied')) limit 1`;
const CHARGED = `select 1 from data.finance_invoice_sources where tenant_id = $1 and object = $2 and source_id = $3`;
const DRAFT_OF_PROJECT = `select id from data.finance_invoices
  where tenant_id = $1 and project_id = $2 and currency = $3 and status = 'draft' and deleted_at is null
    and archived_at is null and jsonb_array_length(line_items) < ${MAX_LINES}
  order by created_at desc, id desc limit 1 for no key update`;
const OPEN_AFTER = `select id from data.finance_invoices
  where tenant_id = $1 and id > $2 and status in ('issued', 'partially_paid', 'overdue') order by id limit $3`;
const OPEN_OF_ACCOUNT = `select coalesce(sum(balance_minor), 0)::text as open from data.finance_invoices
  where tenant_id = $1 and account_id = $2 and currency = $3 and status in ('issued', 'partially_paid', 'overdue')`;
const FIGURES_OF_ACCOUNT = `select currency, ${exactSum('sum(balance_minor)')} as "receivableMinor",
    ${exactSum('sum(total_minor - amount_credited_minor - written_off_minor)')} as "lifetimeMinor"
  from data.finance_invoices t
  where tenant_id = $1 and account_id = $2 and status not in ('draft', 'void') and deleted_at is null`;

/** Amounts of an account in one currency; null beyond the range of exact numbers. */
export interface AccountRow {
  currency: string;
  receivableMinor: number | null;
  lifetimeMinor: number | null;
}

@Injectable()
export class InvoicesRepository extends ResourceRepository<Invoice> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Invoice);
  }

  /** Number of a deal's invoice that is issued, not void and not credited in full; null if there is none. */
  async numberOfDeal(dealId: string): Promise<string | null> {
    const [row] = await this.database.read<{ number: string }>(statement(OF_DEAL, [currentTenant().id, dealId]));
    return row?.number ?? null;
  }

  /** Whether an invoice that is not void and not credited in full charges for a record. */
  async isCharged(object: string, id: string): Promise<boolean> {
    const rows = await this.database.read(statement(CHARGED, [currentTenant().id, object, id]));
    return rows.length > 0;
  }

  /** Locks the newest draft for a project in a currency that has room for a line; null if there is none. */
  async newestDraftOfProject(transaction: Transaction, projectId: string, currency: string): Promise<Invoice | null> {
    const query = statement(DRAFT_OF_PROJECT, [currentTenant().id, projectId, currency]);
    const [row] = await transaction.query<{ id: string }>(query);
    return row ? this.lock(transaction, row.id) : null;
  }

  /** Ids of issued invoices with an open amount, in order, after an id. */
  async openAfter(transaction: Transaction, id: string, limit: number): Promise<string[]> {
    const rows = await transaction.query<{ id: string }>(statement(OPEN_AFTER, [currentTenant().id, id, limit]));
    return rows.map((row) => row.id);
  }

  /** What an account owes in a currency, in minor units. */
  async openOfAccount(accountId: string, currency: string): Promise<bigint> {
    const query = statement(OPEN_OF_ACCOUNT, [currentTenant().id, accountId, currency]);
    const [row] = await this.database.read<{ open: string }>(query);
    return BigInt(row!.open);
  }

  /** Amounts of an account by currency, from the invoices that the guard allows. */
  figuresOfAccount(accountId: string, guard: Guard | null): Promise<AccountRow[]> {
    const values = [currentTenant().id, accountId];
    return this.database.read(guarded(FIGURES_OF_ACCOUNT, values, guard, ' group by currency order by currency'));
  }
}
