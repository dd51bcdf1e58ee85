import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { breaksConstraint } from '#libs/database/failures.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { stamp } from '#libs/tenancy/scope.js';
import {
  type Doer,
  type MailKind,
  MANUAL,
  type Member,
  type MemberSource,
  type MemberStatus,
  type OutOfOffice,
} from './member.js';
import { Revocations, type Revoked } from './revocations.js';
import { hasSeat, isActedOn, isActiveOwner, refuseForbidden, refuseImpossible } from './member-guards.js';
import { type GivenRoles, type GivenWorkspaces, MemberGifts } from './member-gifts.js';
import { MemberRecords } from './member-records.js';
import { MembersRepository } from './members.repository.js';
import { OWNER_ROLE, RoleBook } from './role-book.js';
import { Seats } from './seats.js';

/** Who is to become a member. */
export interface NewMember {
  email: string;
  name: string;
  title?: string | null;
  userId?: string | null;
  /** `active` if not said. */
  status?: Exclude<MemberStatus, 'deactivated'>;
  source: MemberSource;
  /** The role of members if not said. */
  roleIds?: readonly string[];
  /** The default workspace if not said. */
  workspaceIds?: readonly string[];
  /** Who gives roles and workspaces; `manual` if not said. */
  givenBy?: string;
}

/** What changes about a member; what is not named stays. */
export interface MemberChange {
  email?: string;
  name?: string;
  title?: string | null;
  locale?: string | null;
  timezone?: string | null;
  outOfOffice?: OutOfOffice | null;
  mutedMails?: readonly MailKind[];
  userId?: string | null;
  status?: Exclude<MemberStatus, 'invited'>;
  /** All roles that this source gives from now on; what others have given stays. */
  roles?: GivenRoles;
  /** As `roles`. */
  workspaces?: GivenWorkspaces;
  /** With a suspension: their API keys are revoked too, and will not work again. */
  endKeys?: boolean;
  reason?: string | null;
}

/**
 * The only way to change memberships: their fields, status, roles and workspaces, whoever does it. Everything happens in
 * the caller's open transaction; each change is one version with one audit entry and one event.
 *
 * Rows are locked before the tenant's lock for seats and owners is taken, so that those who count see what the others did.
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

  /** Null when the tenant has no such member, or not any more. */
  async find(id: string): Promise<Member | null> {
    const [member] = await this.repository.find([id]);
    return member ?? null;
  }

  /** The member with an id, which nobody else changes until the transaction ends. @throws Problem 404. */
  async lock(transaction: Transaction, id: string): Promise<Member> {
    const [member] = await this.repository.lock(transaction, [id]);
    if (!member) throw Problem.notFound();
    return member;
  }

  /** As {@link lock} for several, in the order of their ids; those that do not exist are left out. */
  lockAll(transaction: Transaction, ids: readonly string[]): Promise<Member[]> {
    return this.repository.lock(transaction, ids);
  }

  /** The member with an address, in any case, locked; null when there is none. */
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
      outOfOffice: null,
      mutedMails: [],
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
   * Applies a change to a locked member. One that changes nothing writes nothing.
   * @throws Problem as {@link create}, and 403 `not_by_oneself`, 409 `last_owner`, 409 `managed_by_scim`,
   * 409 `invalid_transition`.
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
    const after: Member = {
      ...wanted,
      version: before.version + 1,
      sessionEpoch: before.sessionEpoch + (ends ? 1 : 0),
      joinedAt: before.joinedAt ?? (wanted.status === 'active' ? at : null),
      updatedAt: at,
    };
    this.records.changed(transaction, before, after, this.repository.save(after), reason);
    await this.flush(transaction, gifts);
    if (ends)
      await this.revocations.end(transaction, after.id, { keys: endKeys || after.status === 'deactivated' }, at);
    return after;
  }

  /** Changes what a locked member says about themselves. @throws Problem 409 `managed_by_scim`. */
  describe(
    transaction: Transaction,
    before: Member,
    about: Pick<MemberChange, 'name' | 'locale' | 'timezone' | 'outOfOffice' | 'mutedMails'>,
  ): Promise<Member> {
    return this.change(transaction, before, about, 'caller');
  }

  /**
   * Makes a person with an invitation, or found at sign-in, an active member: a new one, or the one with the address, who
   * keeps what they have and gets these roles and workspaces too.
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

  /** Removes a locked member for good, with a tombstone. @throws Problem as {@link change}. */
  async remove(transaction: Transaction, before: Member, reason: string | null, by: Doer): Promise<void> {
    const at = stamp(this.clock);
    const after: Member = {
      ...before,
      status: 'deactivated',
      version: before.version + 1,
      sessionEpoch: before.sessionEpoch + 1,
      updatedAt: at,
      roles: [],
      workspaces: [],
    };
    refuseForbidden(before, after, by);
    await this.keepAnOwner(transaction, before, after);
    this.records.removed(transaction, before, after, this.repository.bury(after), reason);
    await this.flush(transaction, [...this.gifts.statements(before, after)]);
    await this.revocations.end(transaction, before.id, { keys: true }, at);
  }

  /** Ends all sessions of a locked member, and with `keys` their API keys too. @throws Problem 403 for somebody above the caller. */
  async endSessions(
    transaction: Transaction,
    before: Member,
    { keys, reason }: { keys: boolean; reason: string | null },
  ): Promise<Revoked & { sessionEpoch: number }> {
    await this.roles.refuseAgainst(transaction, before);
    const at = stamp(this.clock);
    const { version, sessionEpoch } = before;
    const after: Member = { ...before, version: version + 1, sessionEpoch: sessionEpoch + 1, updatedAt: at };
    this.records.sessionsReset(transaction, before, after, this.repository.save(after), reason);
    const revoked = await this.revocations.end(transaction, before.id, { keys }, at);
    return { ...revoked, sessionEpoch: after.sessionEpoch };
  }

  /** Revokes the API keys of a locked member, who is no longer active anyway. */
  async endKeys(transaction: Transaction, { id }: Member): Promise<void> {
    await this.revocations.end(transaction, id, { keys: true }, stamp(this.clock));
  }

  /** @throws Problem 409 `last_owner` when the change would leave the tenant without an active owner. */
  private async keepAnOwner(transaction: Transaction, before: Member, after: Member): Promise<void> {
    if (!isActiveOwner(before) || isActiveOwner(after)) return;
    transaction.write(this.repository.oneByOne());
    if (await this.repository.hasOtherOwner(transaction, OWNER_ROLE, before.id)) return;
    throw new Problem('last_owner', 'The last active owner can be neither removed, suspended nor demoted.');
  }

  /** Sends what waits, so that an address that is taken shows here. @throws Problem 409 `duplicate`. */
  private async flush(transaction: Transaction, statements: readonly Statement[]): Promise<void> {
    for (const each of statements) transaction.write(each);
    try {
      await transaction.query({ text: 'select', values: [] });
    } catch (error) {
      if (!breaksConstraint(error, 'memberships_email_key')) throw error;
      throw new Problem('duplicate', 'The tenant has a member with this address.', { extensions: { field: 'email' } });
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
    'outOfOffice',
    'mutedMails',
    'userId',
    'status',
  ] as const;
  return fields.every((field) => isDeepStrictEqual(before[field], after[field]));
}
