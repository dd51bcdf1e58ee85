import { Injectable } from '@nestjs/common';
import { brokenUnique } from '#libs/database/failures.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { cut } from '#libs/kernel/cut.js';
import { isUuid } from '#libs/kernel/id.js';
import { Members } from '#libs/members/members.js';
import { fold } from '#libs/kernel/fold.js';
import { applyPatch } from '#libs/scim-language/patch.js';
import { type Projection, readProjection, wants } from '#libs/scim-language/projection.js';
import { readResource, replaceResource, type Resource } from '#libs/scim-language/resource.js';
import { USERS } from '#libs/scim-language/resource-schema.js';
import { ScimError, uniqueness } from '#libs/scim-language/scim-error.js';
import { type ListRequest, readShown } from '../list/list-request.js';
import { type ListResponse, type ListSource, ScimPages } from '../list/scim-pages.js';
import { noteSubject } from '../log/scim-notes.js';
import { ScimCaller } from '../scim-caller.js';
import { checkIfMatch } from '../scim-headers.js';
import { ScimLocations } from '../scim-locations.service.js';
import { USER_TABLE } from './user-table.js';
import { showUser } from './user-view.js';
import { UserChanges } from './user-changes.js';
import { type UserRow, UsersRepository } from './users.repository.js';

type Shown = Readonly<Record<string, unknown>>;

/** Unique keys that a user can violate: those of users and of their memberships. */
const NAMES = new Set(['scim_users_user_name_key', 'memberships_email_key']);

/**
 * Users of the tenant as identity providers see them: its memberships. Provider data is validated and stored here; the
 * membership itself changes only through {@link Members}.
 *
 * Each operation runs in its own transaction. It returns the resulting user with the attributes that `shown` requests
 * (`attributes`, `excludedAttributes`).
 */
@Injectable()
export class UsersService {
  private readonly source: ListSource;

  constructor(
    private readonly repository: UsersRepository,
    private readonly changes: UserChanges,
    private readonly members: Members,
    private readonly caller: ScimCaller,
    private readonly pages: ScimPages,
    private readonly locations: ScimLocations,
    private readonly database: Database,
  ) {
    const load = (ids: readonly string[], projection: Projection) => this.load(ids, projection);
    this.source = { schema: USERS, table: USER_TABLE, from: 'data.scim_users u', alias: 'u', load };
  }

  /** @throws ScimError `invalidFilter`, `invalidValue`; Problem `cursor_invalid`. */
  list(request: ListRequest): Promise<ListResponse> {
    return this.pages.list(this.source, request);
  }

  /** @throws ScimError 404. */
  async get(id: string, shown: Shown): Promise<Resource> {
    const row = isUuid(id) ? (await this.repository.find([id])).get(id) : undefined;
    if (!row) throw noSuchUser(id);
    noteSubject(nameOf(row.data));
    return this.show(row, shown);
  }

  /**
   * Creates a user and its membership. A deactivated user with the same name is reactivated instead, also a
   * deleted one whom a legal hold has kept.
   * @throws ScimError `invalidValue`, 409 `uniqueness`; Problem 409 `seat_limit`.
   */
  create(body: unknown, shown: Shown): Promise<Resource> {
    const { resource } = readResource(USERS, body);
    noteSubject(nameOf(resource));
    return this.unique(async (transaction) => {
      const name = nameOf(resource);
      const id = await this.repository.idOfName(transaction, name);
      if (id !== null) return this.restore(transaction, id, resource, shown, { wasDeleted: false });
      const held = await this.repository.showHeld(transaction, name);
      if (held !== null) return this.restore(transaction, held, resource, shown, { wasDeleted: true });
      return this.show(await this.changes.create(transaction, resource, await this.caller.config()), shown);
    });
  }

  /** @throws ScimError as {@link create}, 404, 412; Problem 409 `last_owner`. */
  replace(id: string, body: unknown, shown: Shown): Promise<Resource> {
    return this.change(id, shown, (current) => replaceResource(USERS, current, body).resource);
  }

  /** @throws ScimError as {@link replace}, `invalidPath`, `noTarget`, `mutability`. */
  patch(id: string, body: unknown, shown: Shown): Promise<Resource> {
    return this.change(id, shown, (current) => applyPatch(USERS, current, body).resource);
  }

  /**
   * Removes the membership permanently: its id is never reused, the name becomes free.
   * @throws ScimError 404, 412; Problem 409.
   */
  remove(id: string): Promise<void> {
    return this.database.transaction(async (transaction) => {
      const { member, row } = await this.lock(transaction, id);
      await this.changes.remove(transaction, member, row);
    });
  }

  private change(id: string, shown: Shown, edit: (current: Resource) => Resource): Promise<Resource> {
    return this.unique(async (transaction) => {
      const { member, row } = await this.lock(transaction, id);
      const resource = edit({ ...row.data, active: row.active });
      return this.show(await this.changes.save(transaction, member, row, resource, await this.caller.config()), shown);
    });
  }

  /** To restore access, a provider may create the user again, with or without the old id. */
  private async restore(
    transaction: Transaction,
    id: string,
    resource: Resource,
    shown: Shown,
    { wasDeleted }: { wasDeleted: boolean },
  ): Promise<Resource> {
    const { member, row } = await this.lock(transaction, id);
    const ids = [row.data['externalId'], resource['externalId']].filter((each) => each !== undefined);
    const isShutOut = !row.active && (wasDeleted || row.configId !== null || member.status === 'invited');
    if (!isShutOut || new Set(ids).size > 1) throw taken();
    const wanted = { active: true, ...resource };
    return this.show(await this.changes.save(transaction, member, row, wanted, await this.caller.config()), shown);
  }

  /** Locks a user and its membership until the transaction ends. @throws ScimError 404, 412. */
  private async lock(transaction: Transaction, id: string) {
    const [member] = isUuid(id) ? await this.members.lockAll(transaction, [id]) : [];
    const row = member && (await this.repository.find([id])).get(id);
    if (!row) throw noSuchUser(id);
    noteSubject(nameOf(row.data));
    checkIfMatch(row.version);
    return { member, row };
  }

  private async unique<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.database.transaction(work);
    } catch (error) {
      if (NAMES.has(brokenUnique(error) ?? '')) throw taken();
      throw error;
    }
  }

  private async show(row: UserRow, shown: Shown): Promise<Resource> {
    const { attributes, excludedAttributes } = readShown(shown);
    const projection = readProjection(USERS, attributes, excludedAttributes);
    const groups = await this.repository.groupsOf(wants(projection, 'groups') ? [row.id] : []);
    return showUser(row, groups.get(row.id) ?? [], projection, this.locations);
  }

  private async load(ids: readonly string[], projection: Projection): Promise<Resource[]> {
    const rows = await this.repository.find(ids);
    const groups = await this.repository.groupsOf(wants(projection, 'groups') ? ids : []);
    return ids.flatMap((id) => {
      const row = rows.get(id);
      return row ? [showUser(row, groups.get(id) ?? [], projection, this.locations)] : [];
    });
  }
}

function nameOf(resource: Resource): string {
  return resource['userName'] as string;
}

function taken(): ScimError {
  return uniqueness('There is a user with this userName already.');
}

function noSuchUser(id: string): ScimError {
  return new ScimError(404, `There is no user with the id "${cut(fold(id), 100)}".`);
}
