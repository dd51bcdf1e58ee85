import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { brokenUnique } from '#libs/database/failures.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { cut } from '#libs/kernel/cut.js';
import { isUuid } from '#libs/kernel/id.js';
import { applyPatch } from '#libs/scim-language/patch.js';
import { type Projection, readProjection, wants } from '#libs/scim-language/projection.js';
import { readResource, replaceResource, type Resource } from '#libs/scim-language/resource.js';
import { GROUPS } from '#libs/scim-language/resource-schema.js';
import { ScimError, tooMany, uniqueness } from '#libs/scim-language/scim-error.js';
import { type ListRequest, readShown } from '../list/list-request.js';
import { type ListResponse, type ListSource, ScimPages } from '../list/scim-pages.js';
import { noteForLog, noteSubject } from '../log/scim-notes.js';
import { ScimCaller } from '../scim-caller.js';
import { checkIfMatch } from '../scim-headers.js';
import { ScimLocations } from '../scim-locations.service.js';
import { type ChangedGroup, GroupChanges } from './group-changes.js';
import { GROUP_TABLE } from './group-table.js';
import { showGroup } from './group-view.js';
import { type GroupRow, GroupsRepository } from './groups.repository.js';

type Shown = Readonly<Record<string, unknown>>;

/** Maximum total number of members of all groups on one page. */
const MAX_LISTED = 100_000;
/** Maximum number of skipped ids in the log. */
const NAMED = 10;

/**
 * Groups of users as identity providers see them. Members are stored as pairs, never as a list that is read, changed
 * and written back. A change locks the row of the group, so concurrent changes are serialized and none is lost. Unknown
 * ids are skipped and logged, because providers do not repeat refused requests.
 *
 * Each operation runs in its own transaction.
 */
@Injectable()
export class GroupsService {
  private readonly source: ListSource;

  constructor(
    private readonly repository: GroupsRepository,
    private readonly changes: GroupChanges,
    private readonly caller: ScimCaller,
    private readonly pages: ScimPages,
    private readonly locations: ScimLocations,
    private readonly database: Database,
  ) {
    const load = (ids: readonly string[], projection: Projection) => this.load(ids, projection);
    this.source = { schema: GROUPS, table: GROUP_TABLE, from: 'data.scim_groups g', alias: 'g', load };
  }

  /** @throws ScimError `invalidFilter`, `invalidValue`, `tooMany`; Problem `cursor_invalid`. */
  list(request: ListRequest): Promise<ListResponse> {
    return this.pages.list(this.source, request);
  }

  /** @throws ScimError 404. */
  async get(id: string, shown: Shown): Promise<Resource> {
    const row = isUuid(id) ? (await this.repository.find([id])).get(id) : undefined;
    if (!row) throw noSuchGroup(id);
    noteSubject(nameOf(row.data));
    return this.show(row, shown);
  }

  /** @throws ScimError `invalidValue`, 409 `uniqueness`. */
  async create(body: unknown, shown: Shown): Promise<Resource> {
    const { resource, members } = readResource(GROUPS, body);
    noteSubject(nameOf(resource));
    const { id: configId } = await this.caller.config();
    return this.answering((transaction) => this.changes.create(transaction, resource, members ?? [], configId), shown);
  }

  /** Members missing from the body leave the group. @throws ScimError as {@link create}, 404, 412. */
  async replace(id: string, body: unknown, shown: Shown): Promise<Resource> {
    return this.answering(async (transaction) => {
      const row = await this.lock(transaction, id);
      const { resource, members } = replaceResource(GROUPS, row.data, body);
      const isChanged = !isDeepStrictEqual({ ...resource }, { ...row.data });
      const steps = [{ kind: 'replace', ids: members ?? [] }] as const;
      return this.changes.save(transaction, row, { data: resource, isChanged, steps });
    }, shown);
  }

  /**
   * Returns the group only if attributes are requested, because it may be large.
   * @throws ScimError as {@link replace}, `invalidPath`, `invalidFilter`, `noTarget`, `mutability`.
   */
  patch(id: string, body: unknown, shown: Shown): Promise<Resource | undefined> {
    const work = async (transaction: Transaction) => {
      const row = await this.lock(transaction, id);
      const { resource, changed, members } = applyPatch(GROUPS, row.data, body);
      return this.changes.save(transaction, row, { data: resource, isChanged: changed, steps: members });
    };
    return this.answering(work, shown['attributes'] === undefined ? null : shown);
  }

  /** @throws ScimError 404, 412. */
  remove(id: string): Promise<void> {
    return this.database.transaction(async (transaction) => {
      await this.changes.remove(transaction, await this.lock(transaction, id));
    });
  }

  /** @throws ScimError 404, 412. */
  private async lock(transaction: Transaction, id: string): Promise<GroupRow> {
    const row = isUuid(id) ? await this.repository.lock(transaction, id) : null;
    if (!row) throw noSuchGroup(id);
    noteSubject(nameOf(row.data));
    checkIfMatch(row.version);
    return row;
  }

  private answering(work: (transaction: Transaction) => Promise<ChangedGroup>, shown: Shown): Promise<Resource>;
  private answering(
    work: (transaction: Transaction) => Promise<ChangedGroup>,
    shown: Shown | null,
  ): Promise<Resource | undefined>;
  private async answering(
    work: (transaction: Transaction) => Promise<ChangedGroup>,
    shown: Shown | null,
  ): Promise<Resource | undefined> {
    let left: string[] = [];
    try {
      const answer = await this.database.transaction(async (transaction) => {
        const { row, unknown } = await work(transaction);
        left = unknown;
        return shown === null ? undefined : this.show(row, shown);
      });
      if (left.length > 0) noteForLog(remarkOn(left));
      return answer;
    } catch (error) {
      if (brokenUnique(error) === 'scim_groups_display_name_key')
        throw uniqueness('There is a group with this displayName already.');
      throw error;
    }
  }

  private async show(row: GroupRow, shown: Shown): Promise<Resource> {
    const { attributes, excludedAttributes } = readShown(shown);
    const projection = readProjection(GROUPS, attributes, excludedAttributes);
    const members = await this.repository.membersOf(wants(projection, 'members') ? [row.id] : [], null);
    return showGroup(row, members.get(row.id) ?? [], projection, this.locations);
  }

  private async load(ids: readonly string[], projection: Projection): Promise<Resource[]> {
    const rows = await this.repository.find(ids);
    const wanted = wants(projection, 'members') ? ids : [];
    const members = await this.repository.membersOf(wanted, MAX_LISTED + 1);
    if ([...members.values()].reduce((sum, { length }) => sum + length, 0) > MAX_LISTED)
      throw tooMany(
        `These groups have more than ${MAX_LISTED} members: ask for fewer groups, or for excludedAttributes=members.`,
      );
    return ids.flatMap((id) => {
      const row = rows.get(id);
      return row ? [showGroup(row, members.get(id) ?? [], projection, this.locations)] : [];
    });
  }
}

function nameOf(resource: Resource): string {
  return resource['displayName'] as string;
}

function remarkOn(ids: readonly string[]): string {
  const more = ids.length > NAMED ? ` and ${ids.length - NAMED} more` : '';
  return `Members that are no users were left out: ${ids.slice(0, NAMED).join(', ')}${more}.`;
}

function noSuchGroup(id: string): ScimError {
  return new ScimError(404, `There is no group with the id "${cut(id, 100)}".`);
}
