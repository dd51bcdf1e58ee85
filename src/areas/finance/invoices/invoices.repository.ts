import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { MAX_LINES } from '#libs/lines/line.dto.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Invoice } from './invoice.js';

const OF_DEAL = `select number from data.finance_invoices
  where tenant_id = $1 and deal_id = $2 and status not in ('draft', 'void') limit 1`;
const CHARGED = `select 1 from data.finance_invoice_sources where tenant_id = $1 and object = $2 and source_id = $3`;
const DRAFT_OF_PROJECT = `select id from data.finance_invoices
  where tenant_id = $1 and project_id = $2 and currency = $3 and status = 'draft' and deleted_at is null
    and archived_at is null and jsonb_array_length(line_items) < ${MAX_LINES}
  order by created_at desc, id desc limit 1 for no key update`;

@Injectable()
export class InvoicesRepository extends ResourceRepository<Invoice> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Invoice);
  }

  /** Number of a deal's invoice that is issued and not void; null if there is none. */
  async numberOfDeal(dealId: string): Promise<string | null> {
    const [row] = await this.database.read<{ number: string }>(statement(OF_DEAL, [currentTenant().id, dealId]));
    return row?.number ?? null;
  }

  /** Whether an invoice that is not void charges for a record. */
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
}
