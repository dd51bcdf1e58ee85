import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { HeldMembers } from '#libs/members/held-members.js';
import type { Member } from '#libs/members/member.js';
import { MEMBERSHIPS_PATH } from '#libs/members/member-records.js';
import { type MemberChange, Members } from '#libs/members/members.js';
import { Commits } from '#libs/resource/records/commits.js';
import { nextVersion } from '#libs/resource/records/next-version.js';
import type { Resource } from '#libs/scim-language/resource.js';
import { defaultsSource } from '../grants/grant-source.js';
import type { ScimConfig } from '../scim-caller.js';
import { addressOf, memberFieldsOf, noAddress, refuseUser } from './user-member.js';
import { USER_TYPE, userFacts } from './user.events.js';
import { type UserRow, UsersRepository } from './users.repository.js';

/** Writes users and their memberships together, in the caller's open transaction. */
@Injectable()
export class UserChanges {
  constructor(
    private readonly repository: UsersRepository,
    private readonly members: Members,
    private readonly held: HeldMembers,
    private readonly commits: Commits,
    private readonly clock: Clock,
  ) {}

  /** Creates a user and its membership with the configuration's default roles. */
  async create(transaction: Transaction, { active, ...data }: Resource, config: ScimConfig): Promise<UserRow> {
    refuseUser(data, config.allowedDomains);
    const { id, createdAt } = await this.members.create(
      transaction,
      {
        ...memberFieldsOf(data),
        email: addressOf(data) ?? noAddress(),
        status: active === false ? 'suspended' : 'active',
        source: 'scim',
        roleIds: config.defaultRoleIds,
        givenBy: defaultsSource(config.id),
      },
      'scim',
    );
    const row: UserRow = {
      id,
      configId: config.id,
      active: active !== false,
      data,
      version: 1,
      createdAt,
      updatedAt: createdAt,
    };
    this.record(transaction, 'created', null, row);
    return row;
  }

  /** Replaces the content of a locked user; writes nothing for a managed user without changes. */
  async save(
    transaction: Transaction,
    member: Member,
    before: UserRow,
    { active, ...data }: Resource,
    config: ScimConfig,
  ): Promise<UserRow> {
    const isSame = isDeepStrictEqual(data, before.data) && active === before.active;
    if (isSame && before.configId !== null) return before;
    refuseUser(data, config.allowedDomains);
    await this.members.change(transaction, member, changeOf(member, before, { active, ...data }, config), 'scim');
    const updatedAt = this.clock.now().toISOString();
    const after = nextVersion(before, { configId: config.id, active: active === true, data, updatedAt });
    this.record(transaction, 'updated', before, after);
    return after;
  }

  /** A member whom a legal hold names loses all access, and is removed when the hold is released. */
  async remove(transaction: Transaction, member: Member, row: UserRow): Promise<void> {
    const updatedAt = this.clock.now().toISOString();
    if (await this.held.isHeld(transaction, member)) await this.held.keep(transaction, member, updatedAt);
    else await this.members.remove(transaction, member, null, 'scim');
    const after = nextVersion(row, { active: false, updatedAt });
    transaction.write(this.repository.leaveGroups(row.id));
    this.record(transaction, 'deleted', row, after);
  }

  private record(
    transaction: Transaction,
    verb: 'created' | 'updated' | 'deleted',
    before: UserRow | null,
    after: UserRow,
  ): void {
    const { name } = memberFieldsOf(after.data);
    const url = `${MEMBERSHIPS_PATH}/${after.id}`;
    this.commits.add(transaction, {
      save: this.repository.save(after),
      event: `${USER_TYPE}.${verb}`,
      subject: { type: USER_TYPE, id: after.id, reference: null, version: after.version, url, name },
      before: before && userFacts(before),
      after: userFacts(after),
      at: after.updatedAt,
      riskLevel: 'medium',
      concealed: before ? changedAttributes(before.data, after.data) : Object.keys(after.data),
    });
  }
}

/** The membership change that results from a change of the user. */
function changeOf(member: Member, before: UserRow, resource: Resource, config: ScimConfig): MemberChange {
  const address = addressOf(resource);
  // By changing the address of a person who has never signed in, a provider could let another person sign in as them.
  // It may therefore change the address only if it provisioned the person and the person has never signed in.
  const isOwn = member.source === 'scim' && member.userId === null && address !== null;
  return {
    ...memberFieldsOf(resource),
    ...(isOwn ? { email: address } : {}),
    ...statusOf(before.active, resource['active'] === true, config),
  };
}

function statusOf(was: boolean, is: boolean, { deprovisionAction }: ScimConfig): Pick<MemberChange, 'status'> {
  if (was === is) return {};
  return { status: is ? 'active' : deprovisionAction === 'deactivate' ? 'deactivated' : 'suspended' };
}

function changedAttributes(before: Resource, after: Resource): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name]));
}
