import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { fold } from '#libs/kernel/fold.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { MergeableRepository } from '../merging/mergeable.repository.js';
import { Contact } from './contact.entity.js';

const LOCK_ACCOUNT = `select from data.sales_accounts where tenant_id = $1 and id = $2 for no key update`;
const PRIMARY = `select id from data.sales_contacts where tenant_id = $1 and account_id = $2 and is_primary
  and deleted_at is null and archived_at is null`;
const HAS_EMAIL = `exists (select from data.sales_contact_emails x
  where x.tenant_id = $1 and x.email = $2 and x.contact_id = t.id)`;
const OF_ACCOUNT = `(t.account_id is null or t.account_id = $3 or $3::uuid is null)`;

@Injectable()
export class ContactsRepository extends MergeableRepository<Contact> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Contact);
  }

  /** Id of the first contact of an account, which is locked so that nobody else changes who that is; null without one. */
  async lockPrimary(transaction: Transaction, accountId: string): Promise<string | null> {
    const values = [currentTenant().id, accountId];
    await transaction.query(statement(LOCK_ACCOUNT, values));
    const [row] = await transaction.query<{ id: string }>(statement(PRIMARY, values));
    return row?.id ?? null;
  }

  /** The oldest contact known by an e-mail address that belongs to an account or to none; null without one. */
  async idOfEmail(email: string, accountId: string | null): Promise<string | null> {
    const values = [currentTenant().id, fold(email), accountId];
    const query = `${this.surviving(HAS_EMAIL)} and ${OF_ACCOUNT} order by t.account_id is null, via, t.created_at, t.id limit 1`;
    const [row] = await this.database.read<{ id: string }>(statement(query, values));
    return row?.id ?? null;
  }
}
