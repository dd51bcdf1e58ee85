import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { activeManagerOf } from '#libs/members/active-manager.js';
import type { ActorStamp } from '#libs/resource/types/record.entity.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const WATCHERS = `select id from data.record_watchers where tenant_id = $1 and record_id = $2 order by id`;
const OF_KEY = `select m.id, m.name from directory.credentials c
    join data.memberships m on m.tenant_id = c.tenant_id and m.id = c.member_id
  where c.tenant_id = $1 and c.id = $2`;
const DELEGATES = `select distinct delegate_id as id from data.memberships
  where tenant_id = $1 and id = any($2::uuid[]) and delegate_id is not null`;
const MANAGER = activeManagerOf(`(select id from data.people_employees
  where tenant_id = $1 and membership_id = $2 and status <> 'terminated' and deleted_at is null)`);
const NAME = `select name from data.memberships where tenant_id = $1 and id = $2`;
const ABSENTEE = `select e.name, e.membership_id as "memberId", m.id as "managerId"
  from data.people_employees e left join data.people_employees b on b.tenant_id = e.tenant_id and b.id = e.manager_id
    left join data.memberships m on m.tenant_id = b.tenant_id and m.id = b.membership_id and m.status = 'active'
      and m.deleted_at is null
  where e.tenant_id = $1 and e.id = $2`;

/** Who has changed something. `id` is null unless it is a member. */
export interface Author {
  id: string | null;
  name: string;
}

/** The members whom time off of an employee concerns. */
export interface Absentee {
  name: string;
  /** Membership of the employee; null without one. */
  memberId: string | null;
  /** Active membership of the direct manager, who may decide; null without one. */
  managerId: string | null;
}

/** Finds the members whom events concern. */
@Injectable()
export class Audience {
  constructor(private readonly database: Database) {}

  watchersOf(recordId: string): Promise<string[]> {
    return this.ids(WATCHERS, recordId);
  }

  /** The delegates that members have named, also those who do not stand in at present. */
  delegatesOf(memberIds: readonly string[]): Promise<string[]> {
    return this.ids(DELEGATES, memberIds);
  }

  /** The nearest manager of a member with an active membership; null if there is none. */
  async managerOf(memberId: string): Promise<string | null> {
    return (await this.ids(MANAGER, memberId))[0] ?? null;
  }

  /** The name of a member, as on their membership. */
  async nameOf(memberId: string): Promise<string | null> {
    return (await this.read<{ name: string }>(NAME, memberId))[0]?.name ?? null;
  }

  /** Null if the employee was erased. */
  async absentee(employeeId: string): Promise<Absentee | null> {
    return (await this.read<Absentee>(ABSENTEE, employeeId))[0] ?? null;
  }

  /** The author of a change: the member for whom a session or a personal key acts, or another actor. */
  async authorOf({ type, id, name }: ActorStamp): Promise<Author> {
    if (type === 'member') return { id, name };
    const member = type === 'api_key' ? await this.read<{ id: string; name: string }>(OF_KEY, id) : [];
    return member[0] ?? { id: null, name };
  }

  private async ids(text: string, value: unknown): Promise<string[]> {
    return (await this.read<{ id: string }>(text, value)).map(({ id }) => id);
  }

  private read<R extends object>(text: string, value: unknown): Promise<R[]> {
    return this.database.read<R>(statement(text, [currentTenant().id, value]));
  }
}
