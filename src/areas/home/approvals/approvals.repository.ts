import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Approval } from '#libs/resource/gates/approval.js';

const PENDING = `select id from data.home_approvals
  where tenant_id = $1 and target_object = $2 and target_id = $3 and action = $4 and status = 'pending'`;
const MANAGER = `select m.membership_id as id from data.people_employees e
    join data.people_employees m on m.tenant_id = e.tenant_id and m.id = e.manager_id
  where e.tenant_id = $1 and e.membership_id = $2 and e.deleted_at is null`;
const WAITING = `select gate, count(*)::integer as waiting from data.home_approvals
  where tenant_id = $1 and status = 'pending' group by gate`;
const NAMING_AS_DELEGATE = `select m.id as "membershipId", m.name, m.timezone, m.away_from::text as "fromDate",
    m.away_to::text as "toDate", array(select distinct a.role_id::text from data.role_assignments a
      where a.tenant_id = m.tenant_id and a.membership_id = m.id) as "roleIds"
  from data.memberships m
  where m.tenant_id = $1 and m.delegate_id = $2 and m.status = 'active' and m.deleted_at is null`;

/** A member who has named a delegate for some days. */
interface Away {
  membershipId: string;
  name: string;
  timezone: string | null;
  fromDate: string;
  toDate: string;
  roleIds: string[];
}

@Injectable()
export class ApprovalsRepository extends ResourceRepository<Approval> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Approval);
  }

  /** Id of the pending request for the same action on the same record; null when there is none. */
  async findPending(transaction: Transaction, object: string, id: string, action: string): Promise<string | null> {
    const [row] = await transaction.query<{ id: string }>(statement(PENDING, [currentTenant().id, object, id, action]));
    return row?.id ?? null;
  }

  /** Number of pending requests by gate. */
  async waiting(): Promise<Map<string, number>> {
    const rows = await this.database.read<{ gate: string; waiting: number }>(statement(WAITING, [currentTenant().id]));
    return new Map(rows.map(({ gate, waiting }) => [gate, waiting]));
  }

  /** Membership of a member's manager; null when there is no manager with a membership. */
  async managerOf(transaction: Transaction, membershipId: string | null): Promise<string | null> {
    const values = [currentTenant().id, membershipId];
    const [row] = await transaction.query<{ id: string | null }>(statement(MANAGER, values));
    return row?.id ?? null;
  }

  /** Active members who have named a membership as their delegate, on any days. */
  namingAsDelegate(membershipId: string): Promise<Away[]> {
    return this.database.read<Away>(statement(NAMING_AS_DELEGATE, [currentTenant().id, membershipId]));
  }
}
