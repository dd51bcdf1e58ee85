import { Injectable } from '@nestjs/common';
import { currentPrincipal, requirePermission } from '#libs/auth/current-principal.js';
import { personOf } from '#libs/auth/principal.js';
import { Problem } from '#libs/kernel/problem.js';
import { ownedByCaller, sharedWithCaller, Sharing } from '#libs/members/sharing.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import type { Guard } from '#libs/resource/lists/table.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { type SavedView, savedViews } from './saved-view.js';
import type { NewSavedView, SavedViewPatch, SavedViewQuery } from './saved-view.requests.js';
import { ViewRules } from './view-rules.js';

const MANAGE = 'saved-views:manage';

type ShownView = ShownObject<SavedView>;

/** Saved views of the caller, and views that others share. */
@Injectable()
export class SavedViewsService {
  readonly objects: GovernedObjects<SavedView>;

  constructor(
    kit: ResourceKit,
    private readonly rules: ViewRules,
    private readonly sharing: Sharing,
  ) {
    this.objects = new GovernedObjects(savedViews, kit, this);
  }

  list(asked: SavedViewQuery): Promise<Page<ShownView>> {
    const query = { sort: ['name'], status: 'active' as const, ...asked };
    return this.objects.shortList(
      query,
      (view) =>
        this.stateOf(view) === query.status &&
        view.recordType === (query.recordType ?? view.recordType) &&
        view.shared === (query.shared ?? view.shared),
    );
  }

  /** @throws Problem 400, 403, 409 `limit_reached`. */
  async create(input: NewSavedView): Promise<ShownView> {
    const { filter = {}, sort = [], columns = [], shared = 'private', workspaceId = null } = input;
    const view = { ...input, filter, sort, columns, shared, workspaceId };
    await this.rules.check(view);
    return this.objects.create(async (transaction) => {
      await this.sharing.check(transaction, view, null, MANAGE);
      const own = { ownerId: personOf(currentPrincipal()), createdBy: currentScope().actor, archivedAt: null };
      return { ...view, ...own };
    });
  }

  /** Applies a merge patch. @throws Problem 400, 403, 404, 409 `record_locked`, 412. */
  update(id: string, patch: SavedViewPatch): Promise<ShownView> {
    return this.objects.update(id, async (before, transaction) => {
      if (before.archivedAt !== null) throw new Problem('record_locked', 'The view is in the archive.');
      const leaves = patch.shared !== undefined && patch.shared !== 'workspace';
      const after = { ...before, ...(leaves ? { workspaceId: null } : {}), ...patch };
      await this.rules.check(after);
      await this.sharing.check(transaction, after, before, MANAGE);
      return after;
    });
  }

  /** @throws Problem 403, 404, 409 `invalid_transition`, 412. */
  archive(id: string): Promise<ShownView> {
    return this.objects.act('archive', id, () => ({ archivedAt: this.objects.now() }));
  }

  /** @throws Problem 403, 404, 409 `invalid_transition`, 412. */
  unarchive(id: string): Promise<ShownView> {
    return this.objects.act('unarchive', id, () => ({ archivedAt: null }));
  }

  /** The caller may change their own views and, with the permission, shared ones. */
  mayChange({ ownerId }: SavedView): void {
    if (ownerId !== personOf(currentPrincipal())) requirePermission(MANAGE);
  }

  /** The caller's own views and those shared with them, of types that they can read. */
  visible(): Guard {
    const [own, shared] = [ownedByCaller(), sharedWithCaller(MANAGE)];
    return (add) => `(t.record_type = any(${add(this.rules.readableTypes())}) and (${own(add)} or ${shared(add)}))`;
  }

  show(rows: readonly SavedView[]): ShownView[] {
    return rows.map((view) => ({
      ...this.objects.view(view),
      status: this.stateOf(view),
      path: this.rules.pathOf(view),
    }));
  }

  stateOf({ archivedAt }: SavedView) {
    return archivedAt === null ? 'active' : 'archived';
  }
}
