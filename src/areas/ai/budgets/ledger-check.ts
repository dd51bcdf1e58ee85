import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

// One statement, because counters and entries must be from the same snapshot.
const MISMATCHES = `
  with accounts as (
    select a.id, a.held_micros, a.spent_micros, a.overrun_micros from data.ai_accounts a
      where a.tenant_id = $1 and a.changed_at >= $2),
  summed as (
    select l.account_id, sum(l.held_delta)::bigint as held, sum(l.spent_delta)::bigint as spent,
      sum(l.overrun_delta)::bigint as overrun
    from data.ai_ledger l where l.tenant_id = $1 and l.account_id in (select id from accounts) group by l.account_id),
  reservations as (
    select r.id, r.held_micros, r.spent_micros, r.overrun_micros, sum(l.held_delta)::bigint as held,
      sum(l.spent_delta)::bigint as spent, sum(l.overrun_delta)::bigint as overrun
    from data.ai_reservations r join data.ai_ledger l on l.tenant_id = $1 and l.reservation_id = r.id and l.of_plan
    where r.tenant_id = $1 and (r.state = 'open' or r.created_at >= $2) group by r.tenant_id, r.id)
  select 'account' as what, a.id from accounts a left join summed s on s.account_id = a.id
    where (a.held_micros, a.spent_micros, a.overrun_micros) is distinct from
      (coalesce(s.held, 0), coalesce(s.spent, 0), coalesce(s.overrun, 0))
  union all
  select 'reservation', id from reservations
    where (held_micros, spent_micros, overrun_micros) is distinct from (held, spent, overrun)`;

/** A row whose counters differ from the sums of its ledger entries. */
export interface Mismatch {
  what: 'account' | 'reservation';
  id: string;
}

/** Checks that the counters of AI spending equal the sums of the ledger. */
@Injectable()
export class LedgerCheck {
  constructor(private readonly database: Database) {}

  /** Differences in rows that have changed since an instant. Normally there are none. */
  mismatches(since: string): Promise<Mismatch[]> {
    return this.database.read<Mismatch>(statement(MISMATCHES, [currentTenant().id, since]));
  }
}
