import { Injectable } from '@nestjs/common';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Commits } from '#libs/resource/records/commits.js';
import { comparisonKey } from '#libs/kernel/domain.js';
import { nextVersion } from '#libs/resource/records/next-version.js';
import type { MemberChange } from '#libs/scim-language/member-changes.js';
import type { Resource } from '#libs/scim-language/resource.js';
import { ScimGrantsService } from '../grants/scim-grants.service.js';
import { refuseLines, refuseLongKeys, refuseUnseen } from '../text-limits.js';
import { GROUP_TYPE, groupFacts, GROUPS_PATH, type Movement } from './group.events.js';
import { GroupMembersRepository } from './group-members.repository.js';
import { type GroupRow, GroupsRepository } from './groups.repository.js';

const NOBODY: Movement = { joined: new Set(), left: new Set() };

/** A group after a change, and the requested member ids that do not exist. */
export interface ChangedGroup {
  row: GroupRow;
  unknown: string[];
}

/** Writes groups, their members and the members' grants from the mapping, in the caller's open transaction. */
@Injectable()
export class GroupChanges {
  constructor(
    private readonly repository: GroupsRepository,
    private readonly members: GroupMembersRepository,
    private readonly grants: ScimGrantsService,
    private readonly commits: Commits,
    private readonly clock: Clock,
  ) {}

  /** @throws ScimError `invalidValue`. */
  async create(
    transaction: Transaction,
    data: Resource,
    memberIds: readonly string[],
    configId: string,
  ): Promise<ChangedGroup> {
    refuseGroup(data);
    const known = memberIds.length === 0 ? [] : await this.members.known(transaction, memberIds);
    const at = this.clock.now().toISOString();
    const row: GroupRow = { id: uuidv7(), configId, data, version: 1, createdAt: at, updatedAt: at };
    const joined = new Set(known);
    this.record(transaction, 'created', this.repository.insert(row), null, row, { joined, left: new Set() });
    if (known.length > 0) {
      await this.members.join(transaction, row.id, known);
      await this.grants.ofGroup(transaction, row.id, known);
    }
    return { row, unknown: memberIds.filter((id) => !joined.has(id)) };
  }

  /**
   * Replaces content and members of a locked group; writes nothing if neither changes.
   * @throws ScimError `invalidValue`.
   */
  async save(
    transaction: Transaction,
    before: GroupRow,
    { data, isChanged, steps }: { data: Resource; isChanged: boolean; steps: readonly MemberChange[] },
  ): Promise<ChangedGroup> {
    if (isChanged) refuseGroup(data);
    const moves = new Moves();
    for (const step of steps) await this.take(transaction, before.id, step, moves);
    if (!isChanged && moves.touched.size === 0) return { row: before, unknown: moves.unknown };
    const after = nextVersion(before, { data, updatedAt: this.clock.now().toISOString() });
    this.record(transaction, 'updated', this.repository.update(after), before, after, moves);
    const isRenamed = keyOf(after) !== keyOf(before);
    if (isRenamed || moves.touched.size > 0)
      await this.grants.ofGroup(transaction, after.id, isRenamed ? null : [...moves.touched]);
    return { row: after, unknown: moves.unknown };
  }

  /** Removes a locked group, its members and their grants from it. */
  async remove(transaction: Transaction, before: GroupRow): Promise<void> {
    await this.members.keep(transaction, before.id, []);
    const after = nextVersion(before, { updatedAt: this.clock.now().toISOString() });
    this.record(transaction, 'deleted', this.repository.delete(after), before, after, NOBODY);
    await this.grants.ofGroup(transaction, before.id, null);
  }

  private async take(transaction: Transaction, groupId: string, step: MemberChange, moves: Moves): Promise<void> {
    if (step.kind === 'removeMatching')
      return moves.leave(await this.members.removeMatching(transaction, groupId, step.filter));
    const [ids, others] = step.kind === 'replace' ? [step.ids, null] : [step.add, step.remove];
    if (others === null) moves.leave(await this.members.keep(transaction, groupId, ids));
    else if (others.length > 0) moves.leave(await this.members.remove(transaction, groupId, others));
    if (ids.length === 0) return;
    const known = await this.members.known(transaction, ids);
    moves.join(await this.members.join(transaction, groupId, known), ids, known);
  }

  private record(
    transaction: Transaction,
    verb: 'created' | 'updated' | 'deleted',
    save: Statement,
    before: GroupRow | null,
    after: GroupRow,
    movement: Movement,
  ): void {
    const facts = groupFacts(after, movement);
    this.commits.add(transaction, {
      save,
      event: `${GROUP_TYPE}.${verb}`,
      subject: {
        type: GROUP_TYPE,
        id: after.id,
        reference: null,
        version: after.version,
        url: `${GROUPS_PATH}/${after.id}`,
        name: facts.displayName,
      },
      before: before && groupFacts(before, NOBODY),
      after: facts,
      at: after.updatedAt,
      riskLevel: 'medium',
    });
  }
}

function refuseGroup(group: Resource): void {
  refuseLongKeys(group, ['displayName', 'externalId']);
  const name = group['displayName'] as string;
  refuseLines([name]);
  refuseUnseen(name);
}

/** Net joins and leaves over several steps, where a later step may undo an earlier one. */
class Moves implements Movement {
  readonly joined = new Set<string>();
  readonly left = new Set<string>();
  readonly touched = new Set<string>();
  readonly unknown: string[] = [];

  leave(ids: readonly string[]): void {
    for (const id of ids) {
      this.touched.add(id);
      if (!this.joined.delete(id)) this.left.add(id);
    }
  }

  join(ids: readonly string[], wanted: readonly string[], known: readonly string[]): void {
    for (const id of ids) {
      this.touched.add(id);
      if (!this.left.delete(id)) this.joined.add(id);
    }
    const users = new Set(known);
    this.unknown.push(...wanted.filter((id) => !users.has(id)));
  }
}

function keyOf({ data }: GroupRow): string {
  return comparisonKey(data['displayName'] as string);
}
