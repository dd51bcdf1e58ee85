import { Injectable } from '@nestjs/common';
import { memberCredentials, type MemberCredentials } from '#libs/auth/sessions/member-sessions.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { Membership } from '#libs/members/membership.entity.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { OpenInvitation } from './membership.dto.js';

const EMPLOYEES = `select membership_id as "memberId", id from data.people_employees
  where tenant_id = $1 and membership_id = any($2::uuid[]) and deleted_at is null`;
const INVITATIONS = `select id, email, role_ids as "roleIds", expires_at as "expiresAt" from data.invitations
  where tenant_id = $1 and status = 'pending' and expires_at > $2::timestamptz order by created_at desc, id desc limit 200`;

/** Further data about a member. */
export interface MemberDetails {
  credentials: MemberCredentials | undefined;
  employeeId: string | null;
}

@Injectable()
export class MembershipsRepository extends ResourceRepository<Membership> {
  constructor(
    database: Database,
    cursors: Cursors,
    private readonly clock: Clock,
  ) {
    super(database, cursors, Membership);
  }

  /** By id of the member. */
  async details(ids: readonly string[]): Promise<Map<string, MemberDetails>> {
    const at = this.clock.now().toISOString();
    const credentials = await this.database.read<MemberCredentials>(memberCredentials(ids, at));
    const employees = await this.database.read<{ memberId: string; id: string }>(
      statement(EMPLOYEES, [currentTenant().id, ids]),
    );
    const byMember = new Map(credentials.map((row) => [row.memberId, row]));
    const employeeOf = new Map(employees.map((row) => [row.memberId, row.id]));
    return new Map(ids.map((id) => [id, { credentials: byMember.get(id), employeeId: employeeOf.get(id) ?? null }]));
  }

  openInvitations(): Promise<OpenInvitation[]> {
    const values = [currentTenant().id, this.clock.now().toISOString()];
    return this.database.read<OpenInvitation>(statement(INVITATIONS, values));
  }
}
