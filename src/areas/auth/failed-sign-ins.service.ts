import { Injectable } from '@nestjs/common';
import type { ProvenPerson } from '#libs/auth/oidc/id-tokens.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { Members } from '#libs/members/members.js';
import { type Member, MEMBERSHIP_TYPE } from '#libs/members/member.js';
import { MEMBERSHIPS_PATH } from '#libs/members/member-records.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { eventStatement } from '#libs/outbox/event.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { currentScope, currentTenant, stamp } from '#libs/tenancy/scope.js';
import { FAILED_SIGN_IN_EXAMPLE, FailedSignIn } from './failed-sign-in.dto.js';
import { PeopleRepository } from './people.repository.js';

const TYPE = 'auth.login';
export const SIGN_IN_FAILED = `${TYPE}.failed`;

// Counts a failure: in the count of a new event once a minute, else towards the next one.
const COUNT = `insert into data.failed_sign_ins as f (tenant_id, membership_id, told_at, count) values ($1, $2, $3, 1)
  on conflict (tenant_id, membership_id) do update set
    count = case when f.told_at <= $3 - interval '1 minute' then f.untold + 1 else f.count end,
    untold = case when f.told_at <= $3 - interval '1 minute' then 0 else f.untold + 1 end,
    told_at = case when f.told_at <= $3 - interval '1 minute' then $3 else f.told_at end
  returning untold = 0 as "isTold", count`;

/**
 * Tells of failed sign-ins of members: at most one event a minute and member, so that nobody fills the log of a tenant.
 * Those of others are only in the audit log.
 */
@Injectable()
export class FailedSignInsService {
  constructor(
    private readonly people: PeopleRepository,
    private readonly members: Members,
    private readonly events: EventCatalogue,
    private readonly clock: Clock,
    registry: ResourceRegistry,
  ) {
    registry.declareObject({
      type: TYPE,
      path: MEMBERSHIPS_PATH,
      hasPath: true,
      told: FailedSignIn,
      events: { failed: 'A sign-in of a member failed. Sent at most once a minute for each member.' },
      example: { ...FAILED_SIGN_IN_EXAMPLE },
      subject: { type: MEMBERSHIP_TYPE, id: FAILED_SIGN_IN_EXAMPLE.membershipId },
    });
  }

  /** @returns the member that the person is, if any, as the target of an audit entry. */
  async tell(transaction: Transaction, person: ProvenPerson, reason: string) {
    const member = await this.memberOf(transaction, person);
    if (!member) return null;
    const { id, name } = member;
    const at = stamp(this.clock);
    const [row] = await transaction.query<{ isTold: boolean; count: number }>(
      statement(COUNT, [currentTenant().id, id, at]),
    );
    const { isTold, count } = row!;
    if (isTold) {
      const { version: schemaVersion } = this.events.newest(SIGN_IN_FAILED);
      const data: FailedSignIn = { membershipId: id, reason, count };
      const fact = { type: SIGN_IN_FAILED, schemaVersion, subject: subjectOf(member), data, changes: null };
      transaction.write(eventStatement(currentScope(), fact, at));
    }
    return { type: MEMBERSHIP_TYPE, id, name };
  }

  /** By the subject of the provider, or else by the verified address. */
  private async memberOf(transaction: Transaction, person: ProvenPerson): Promise<Member | null> {
    const userId = await this.people.find(transaction, person);
    const id = userId && (await this.people.membershipOf(transaction, userId));
    if (id !== null) return this.members.find(id);
    return person.email === null ? null : this.members.findByEmail(transaction, person.email);
  }
}

function subjectOf({ id, version }: Member) {
  return { type: MEMBERSHIP_TYPE, id, reference: null, version, url: `${MEMBERSHIPS_PATH}/${id}` };
}
