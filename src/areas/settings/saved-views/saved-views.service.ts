import { Injectable } from '@nestjs/common';
import { currentPrincipal, requirePermission } from '#libs/auth/current-principal.js';
import { personOf } from '#libs/auth/principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { invalidTransition } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import { ownedByCaller, sharedWithCaller, Sharing } from '#libs/members/sharing.js';
import { byName } from '#libs/resource/lists/named-list.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import type { Guard } from '#libs/resource/lists/table.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import type { Deleted } from '#libs/resource/types/record.dto.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { MAX_VIEWS, type SavedView, savedViews } from './saved-view.js';
import type { NewSavedView, SavedViewPatch, SavedViewQuery } from './saved-view.requests.js';
import { ViewRules } from './view-rules.js';

const MANAGE = 'saved-views:manage';

type ShownView = ShownObject<SavedView>;

/** Saved views of the caller, and views that others share. */
@Injectable()
export class SavedViewsService {
  private readonly objects: GovernedObjects<SavedView>;

  constructor(
    kit: ResourceKit,
    private readonly rules: ViewRules,
    private readonly sharing: Sharing,
    private readonly cursors: Cursors,
  ) {
    this.objects = new GovernedObjects(savedViews, kit);
  }

  async list(asked: SavedViewQuery): Promise<Page<ShownView>> {
    const query = { sort: ['name'], status: 'active' as const, ...asked };
    const { recordType, shared, status } = query;
    const seen = (await this.objects.rows.all(this.visible())).map((view) => this.show(view));
    const found = byName(seen, query).filter(
      (view) =>
        view.status === status &&
        view.recordType === (recordType ?? view.recordType) &&
        view.shared === (shared ?? view.shared),
    );
    const { limit, cursor } = query;
    const paging = { ...(limit === undefined ? {} : { limit }), ...(cursor === undefined ? {} : { cursor }) };
    return pageOfAll(found, paging, this.cursors, ['saved_views', recordType, shared, status]);
  }

  /** @throws Problem 404. */
  async get(id: string): Promise<ShownView> {
    const view = await this.objects.rows.find(id, this.visible());
    if (!view) throw Problem.notFound();
    return this.show(view);
  }

  /** @throws Problem 400, 403, 409 `limit_reached`. */
  async create(input: NewSavedView): Promise<ShownView> {
    const { filter = {}, sort = [], columns = [], shared = 'private', workspaceId = null } = input;
    const view = { ...input, filter, sort, columns, shared, workspaceId };
    await this.rules.check(view);
    return this.objects.unit(async (transaction) => {
      await this.sharing.check(transaction, view, null, MANAGE);
      if ((await this.objects.rows.all()).length >= MAX_VIEWS)
        throw new Problem('limit_reached', `A tenant can have at most ${MAX_VIEWS} saved views.`);
      const own = { ownerId: personOf(currentPrincipal()), createdBy: currentScope().actor, archivedAt: null };
      return this.show(this.objects.add(transaction, { ...view, ...own }));
    });
  }

  /** Applies a merge patch. @throws Problem 400, 403, 404, 409 `record_locked`, 412. */
  async update(id: string, patch: SavedViewPatch): Promise<ShownView> {
    return this.objects.unit(async (transaction) => {
      const before = await this.lock(transaction, id);
      if (before.archivedAt !== null) throw new Problem('record_locked', 'The view is in the archive.');
      const leaves = patch.shared !== undefined && patch.shared !== 'workspace';
      const after = { ...before, ...(leaves ? { workspaceId: null } : {}), ...patch };
      await this.rules.check(after);
      await this.sharing.check(transaction, after, before, MANAGE);
      return this.show(this.objects.change(transaction, before, after));
    });
  }

  /** @throws Problem 403, 404, 409 `invalid_transition`, 412. */
  archive(id: string): Promise<ShownView> {
    return this.move(id, 'archive', true);
  }

  /** @throws Problem 403, 404, 409 `invalid_transition`, 412. */
  unarchive(id: string): Promise<ShownView> {
    return this.move(id, 'unarchive', false);
  }

  /** @throws Problem 403, 404, 412. */
  async remove(id: string): Promise<Deleted> {
    return this.objects.unit(async (transaction) => {
      this.objects.remove(transaction, await this.lock(transaction, id));
      return { id, object: savedViews.type, deleted: true, deletedAt: this.objects.now() };
    });
  }

  private move(id: string, action: 'archive' | 'unarchive', archives: boolean): Promise<ShownView> {
    return this.objects.unit(async (transaction) => {
      const before = await this.lock(transaction, id);
      const { status } = this.show(before);
      if ((status === 'active') !== archives) throw invalidTransition(action, { state: status! }, []);
      const archivedAt = archives ? this.objects.now() : null;
      return this.show(this.objects.change(transaction, before, { archivedAt }, `${action}d`));
    });
  }

  /** A view that the caller may change: their own or, with the permission, a shared one. */
  private async lock(transaction: Transaction, id: string): Promise<SavedView> {
    const view = await this.objects.lock(transaction, id, this.visible());
    if (view.ownerId !== personOf(currentPrincipal())) requirePermission(MANAGE);
    return view;
  }

  /** The caller's own views and those shared with them, of types that they can read. */
  private visible(): Guard {
    const [own, shared] = [ownedByCaller(), sharedWithCaller(MANAGE)];
    return (add) => `(t.record_type = any(${add(this.rules.readableTypes())}) and (${own(add)} or ${shared(add)}))`;
  }

  private show(view: SavedView): ShownView {
    const status = view.archivedAt === null ? 'active' : 'archived';
    return { ...view, object: savedViews.type, status, path: this.rules.pathOf(view) };
  }
}
