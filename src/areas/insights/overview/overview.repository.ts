import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const MEMBERS = `
  select count(*) filter (where status = 'active')::integer as active,
    count(*) filter (where status = 'invited')::integer + (select count(*)::integer from data.invitations
      where tenant_id = $1 and status = 'pending' and expires_at > $2::timestamptz) as invited,
    count(*) filter (where status = 'suspended')::integer as suspended
  from data.memberships where tenant_id = $1 and deleted_at is null`;
const REVIEWS = `
  select count(*)::integer as open, count(overdue_at)::integer as overdue
  from data.access_reviews where tenant_id = $1 and status in ('in_progress', 'pending_actions')`;
const HOLDS = `select count(*)::integer as count from data.legal_holds where tenant_id = $1 and status = 'active'`;

export interface MemberTotals {
  active: number;
  /** Invited members and open invitations. */
  invited: number;
  suspended: number;
}

/** Counts of what the current tenant administers. */
@Injectable()
export class OverviewRepository {
  constructor(private readonly database: Database) {}

  members(now: string): Promise<MemberTotals> {
    return this.row(MEMBERS, now);
  }

  /** Access reviews in progress, and those of them that are overdue. */
  reviews(): Promise<{ open: number; overdue: number }> {
    return this.row(REVIEWS);
  }

  /** Active legal holds. */
  async holds(): Promise<number> {
    return (await this.row<{ count: number }>(HOLDS)).count;
  }

  private async row<R extends object>(text: string, ...more: string[]): Promise<R> {
    const [row] = await this.database.read<R>(statement(text, [currentTenant().id, ...more]));
    return row!;
  }
}
