import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { breaksConstraint } from '#libs/database/failures.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { nextVersion } from '#libs/resource/records/next-version.js';
import type { WorkingHours } from '#libs/settings/working-hours.js';
import { stamp } from '#libs/tenancy/scope.js';
import { type Doer, MANUAL, type Member, type MemberSource, type MemberStatus, type OutOfOffice } from './member.js';
import { Revocations, type Revoked } from './revocations.js';
import { hasSeat, isActedOn, isActiveOwner, refuseForbidden, refuseImpossible } from './member-guards.js';
import { type GivenRoles, type GivenWorkspaces, MemberGifts } from './member-gifts.js';
import { MemberRecords } from './member-records.js';
import { MembersRepository } from './members.repository.js';
import type { OwnChoices } from './notification-choices.js';
import { OWNER_ROLE, RoleBook } from './role-book.js';
import { Seats } from './seats.js';

/** A member to be created. */
export interface NewMember {
  email: string;
  name: string;
  title?: string | null;
  userId?: string | null;
  /** Defaults to `active`. */
  status?: Exclude<MemberStatus, 'deactivated'>;
  source: MemberSource;
  /** Defaults to the system role `member`. */
  roleIds?: readonly string[];
  /** Defaults to the default workspace. */
  workspaceIds?: readonly string[];
  /** Source of the roles and workspaces; defaults to `manual`. */
  givenBy?: string;
}

/** Changes to a member; fields left out stay as they are. */
export interface MemberChange {
  email?: string;
  name?: string;
  title?: string | null;
  locale?: string | null;
  timezone?: string | null;
  workingHours?: WorkingHours[] | null;
  outOfOffice?: OutOfOffice | null;
  awayOnLeave?: boolean;
  notifications?: OwnChoices;
  userId?: string | null;
  status?: Exclude<MemberStatus, 'invited'>;
  /** The complete set of roles granted by this source; grants of other sources stay. */
  roles?: GivenRoles;
  /** As `roles`. */
  workspaces?: GivenWorkspaces;
  /** On suspension, also revokes their API keys and grants to partners permanently. */
  endKeys?: boolean;
  reason?: string | null;
}

/**
 * The only way to change the fields, status, roles and workspaces of memberships. Everything happens in the caller's
 * open transaction. Each change creates one version, one audit entry and one event.
 *
 * Rows are locked before the tenant's lock for seats and owners, so that counts include concurrent changes.
 */
@Injectable()
export class Members {
  constructor(
    private readonly repository: MembersRepository,
    private readonly records: MemberRecords,
    private readonly revocations: Revocations,
    private readonly gifts: MemberGifts,
    private readonly roles: RoleBook,
    private readonly seats: Seats,
    private readonly clock: Clock,
  ) {}

  /** Null when the tenant has no such member or it was removed. */
  async find(id: string): Promise<Member | null> {
    const [member] = await this.repository.find([id]);
    return member ?? null;
  }

  /** Locks the member with an id until the transaction ends. @throws Problem 404. */
  async lock(transaction: Transaction, id: string): Promise<Member> {
    const [member] = await this.repository.lock(transaction, [id]);
    if (!member) throw Problem.notFound();
    return member;
  }

  /** As {@link lock} for several, in the order of their ids; those that do not exist are left out. */
  lockAll(transaction: Transaction, ids: readonly string[]): Promise<Member[]> {
    return this.repository.lock(transaction, ids);
  }

  /** Locks the member with an address (case-insensitive); null when there is none. */
  async findByEmail(transaction: Transaction, email: string): Promise<Member | null> {
    const id = await this.repository.idOfEmail(transaction, email);
    if (id === null) return null;
    const [member] = await this.repository.lock(transaction, [id]);
    return member ?? null;
  }

  /** @throws Problem 400 `unknown_reference`, 403 `grant_exceeds_rights`, 409 `seat_limit`, 409 `duplicate`. */
  async create(transaction: Transaction, input: NewMember, by: Doer): Promise<Member> {
    const { givenBy: source = MANUAL, roleIds = [SYSTEM_ROLE_IDS.member], status = 'active' } = input;
    const at = stamp(this.clock);
    const blank: Member = {
      id: uuidv7(),
      userId: input.userId ?? null,
      email: input.email,
      name: input.name,
      title: input.title ?? null,
      locale: null,
      timezone: null,
      workingHours: null,
      outOfOffice: null,
      awayOnLeave: false,
      notifications: {},
      status,
      source: input.source,
      version: 1,
      sessionEpoch: 1,
      joinedAt: status === 'active' ? at : null,
      lastActiveAt: null,
      createdAt: at,
      updatedAt: at,
      managedByScim: false,
      roles: [],
      workspaces: [],
    };
    const workspaceIds = input.workspaceIds ?? [await this.repository.defaultWorkspace(transaction)];
    const member = await this.gifts.given(transaction, blank, { source, roleIds }, { source, workspaceIds }, by);
    refuseForbidden({ ...blank, roles: [], workspaces: member.workspaces }, member, by);
    if (hasSeat(status)) await this.seats.take(transaction);
    this.records.created(transaction, member, this.repository.insert(member));
    await this.flush(transaction, [...this.gifts.statements(blank, member)]);
    return member;
  }

  /**
   * Applies a change to a locked member. Nothing is written when nothing changes.
   * @throws Problem as {@link create}, and 403 `not_by_oneself`, 409 `last_owner`, 409 `managed_by_scim`,
   * 409 `invalid_transition`, 409 `employee_terminated`.
   */
  async change(transaction: Transaction, before: Member, change: MemberChange, by: Doer): Promise<Member> {
    const { roles, workspaces, endKeys = false, reason = null, ...fields } = change;
    const wanted = await this.gifts.given(transaction, { ...before, ...fields }, roles, workspaces, by);
    const gifts = [...this.gifts.statements(before, wanted)];
    if (gifts.length === 0 && isSame(before, wanted)) return before;
    refuseImpossible(before, wanted.status);
    refuseForbidden(before, wanted, by);
    if (by === 'caller' && isActedOn(before, wanted)) await this.roles.refuseAgainst(transaction, before);
    if (hasSeat(wanted.status) && !hasSeat(before.status)) await this.seats.take(transaction);
    await this.keepAnOwner(transaction, before, wanted);
    const ends = before.status !== wanted.status && (wanted.status === 'suspended' || wanted.status === 'deactivated');
    const at = stamp(this.clock);
    const after = nextVersion(before, {
      ...wanted,
      sessionEpoch: before.sessionEpoch + (ends ? 1 : 0),
      joinedAt: before.joinedAt ?? (wanted.status === 'active' ? at : null),
      updatedAt: at,
    });
    this.records.changed(transaction, before, after, this.repository.save(after), reason);
    await this.flush(transaction, gifts);
    const forGood = endKeys || after.status === 'deactivated';
    if (ends) await this.revocations.end(transaction, after.id, { keys: forGood, grants: forGood }, at);
    return after;
  }

  /** Changes the profile of a locked member. @throws Problem 409 `managed_by_scim`. */
  describe(
    transaction: Transaction,
    before: Member,
    about: Pick<MemberChange, 'name' | 'locale' | 'timezone' | 'workingHours' | 'outOfOffice' | 'notifications'>,
  ): Promise<Member> {
    const own = about.outOfOffice === undefined ? {} : { awayOnLeave: false };
    return this.change(transaction, before, { ...about, ...own }, 'caller');
  }

  /**
   * Makes a person with an invitation or a matching sign-in an active member. An existing member with the address keeps
   * their roles and workspaces and gets these in addition.
   * @throws Problem as {@link create}.
   */
  async join(transaction: Transaction, input: NewMember): Promise<Member> {
    const known = await this.findByEmail(transaction, input.email);
    if (!known) return this.create(transaction, input, 'platform');
    const own = (given: readonly { source: string }[]) => given.filter(({ source }) => source === MANUAL);
    const roleIds = (own(known.roles) as Member['roles']).map(({ roleId }) => roleId);
    const workspaceIds = (own(known.workspaces) as Member['workspaces']).map(({ workspaceId }) => workspaceId);
    const change: MemberChange = {
      status: 'active',
      userId: input.userId ?? known.userId,
      roles: { source: MANUAL, roleIds: [...new Set([...roleIds, ...(input.roleIds ?? [])])] },
      workspaces: { source: MANUAL, workspaceIds: [...new Set([...workspaceIds, ...(input.workspaceIds ?? [])])] },
    };
    return this.change(transaction, known, change, 'platform');
  }

  /** Permanently removes a locked member and leaves a tombstone. @throws Problem as {@link change}. */
  async remove(transaction: Transaction, before: Member, reason: string | null, by: Doer): Promise<void> {
    const at = stamp(this.clock);
    const after = nextVersion(before, {
      status: 'deactivated',
      sessionEpoch: before.sessionEpoch + 1,
      updatedAt: at,
      roles: [],
      workspaces: [],
    });
    refuseForbidden(before, after, by);
    await this.keepAnOwner(transaction, before, after);
    this.records.removed(transaction, before, after, this.repository.bury(after), reason);
    await this.flush(transaction, [...this.gifts.statements(before, after)]);
    await this.revocations.end(transaction, before.id, { keys: true, grants: true }, at);
  }

  /**
   * Revokes all sessions of a locked member, and optionally their API keys and grants. @throws Problem 403 for a member
   * above the caller.
   */
  async endSessions(
    transaction: Transaction,
    before: Member,
    { reason, ...besides }: { keys: boolean; grants: boolean; reason: string | null },
  ): Promise<Revoked & { sessionEpoch: number }> {
    await this.roles.refuseAgainst(transaction, before);
    const at = stamp(this.clock);
    const after = nextVersion(before, { sessionEpoch: before.sessionEpoch + 1, updatedAt: at });
    this.records.sessionsReset(transaction, before, after, this.repository.save(after), reason);
    const revoked = await this.revocations.end(transaction, before.id, besides, at);
    return { ...revoked, sessionEpoch: after.sessionEpoch };
  }

  /** Revokes the API keys and grants of a locked member who is no longer active. */
  async endKeys(transaction: Transaction, { id }: Member): Promise<void> {
    await this.revocations.end(transaction, id, { keys: true, grants: true }, stamp(this.clock));
  }

  /** @throws Problem 409 `last_owner` when the change would leave the tenant without an active owner. */
  private async keepAnOwner(transaction: Transaction, before: Member, after: Member): Promise<void> {
    if (!isActiveOwner(before) || isActiveOwner(after)) return;
    transaction.write(this.repository.oneByOne());
    if (await this.repository.hasOtherOwner(transaction, OWNER_ROLE, before.id)) return;
    throw new Problem('last_owner', 'The last active owner cannot be removed, suspended or demoted.');
  }

  /**
   * Sends pending statements, so that violated constraints are detected here.
   * @throws Problem 409 `duplicate`, `employee_terminated`.
   */
  private async flush(transaction: Transaction, statements: readonly Statement[]): Promise<void> {
    for (const each of statements) transaction.write(each);
    try {
      await transaction.query({ text: 'select', values: [] });
    } catch (error) {
      if (breaksConstraint(error, 'memberships_of_terminated'))
        throw new Problem('employee_terminated', 'The member is a terminated employee; rehire the employee first.');
      if (!breaksConstraint(error, 'memberships_email_key')) throw error;
      throw new Problem('duplicate', 'A member of the tenant already has this address.', {
        extensions: { field: 'email' },
      });
    }
  }
}

function isSame(before: Member, after: Member): boolean {
  const fields = [
    'email',
    'name',
    'title',
    'locale',
    'timezone',
    'workingHours',
    'outOfOffice',
    'notifications',
    'userId',
    'status',
  ] as const;
  return fields.every((field) => isDeepStrictEqual(before[field], after[field]));
}
