import { Injectable } from '@nestjs/common';
import { type Guard, guarded } from '#libs/access/guard.js';
import { ALPHABET } from '#libs/database/alphabet.js';
import { Database } from '#libs/database/database.js';
import { exactSum } from '#libs/database/exact-sum.js';
import { statement } from '#libs/database/statement.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { MergeableRepository } from '../merging/mergeable.repository.js';
import { Account } from './account.entity.js';
import type { OpenDeals } from './account.dto.js';

const OPEN_DEALS = `select currency, ${exactSum('sum(value_minor)')} as "valueMinor"
  from data.sales_deals t where tenant_id = $1 and account_id = $2 and status = 'open' and deleted_at is null
    and archived_at is null and value_minor is not null`;
const BY_CURRENCY = ` group by currency order by currency`;
const BELOW = `with recursive above as (
    select parent_account_id from data.sales_accounts where tenant_id = $1 and id = $2
    union select a.parent_account_id from data.sales_accounts a join above on a.id = above.parent_account_id
      where a.tenant_id = $1)
  select from above where parent_account_id = $3`;
const HAS_DOMAIN = `t.domain = $2`;
const HAS_NAME = `t.name collate ${ALPHABET} = $2`;

@Injectable()
export class AccountsRepository extends MergeableRepository<Account> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Account);
  }

  /** What those open deals of an account come to that a guard lets through, by currency. */
  openDeals(id: string, guard: Guard | null): Promise<OpenDeals[]> {
    return this.database.read<OpenDeals>(guarded(OPEN_DEALS, [currentTenant().id, id], guard, BY_CURRENCY));
  }

  /** Whether an account belongs to another one, directly or through others. */
  async isBelow(id: string, above: string): Promise<boolean> {
    return (await this.database.read(statement(BELOW, [currentTenant().id, id, above]))).length > 0;
  }

  /** The oldest account known by an internet domain; null without one. */
  idOfDomain(domain: string): Promise<string | null> {
    return this.oldest(HAS_DOMAIN, domain);
  }

  /** The oldest account known by a name; null without one. */
  idOfName(name: string): Promise<string | null> {
    return this.oldest(HAS_NAME, name);
  }

  private async oldest(condition: string, value: string): Promise<string | null> {
    const query = `${this.surviving(condition)} order by via, t.created_at, t.id limit 1`;
    const [row] = await this.database.read<{ id: string }>(statement(query, [currentTenant().id, value]));
    return row?.id ?? null;
  }
}
