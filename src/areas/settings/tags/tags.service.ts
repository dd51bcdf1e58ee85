import { Injectable } from '@nestjs/common';
import { fold } from '#libs/kernel/fold.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { type Tag, tags } from './tag.js';
import type { TagQuery } from './tag.requests.js';
import { TagUses } from './tag-uses.js';

type ShownTag = ShownObject<Tag>;

/** Managed tags of the tenant. */
@Injectable()
export class TagsService {
  readonly objects: GovernedObjects<Tag>;

  constructor(
    kit: ResourceKit,
    private readonly uses: TagUses,
  ) {
    this.objects = new GovernedObjects(tags, kit, this);
  }

  list(asked: TagQuery): Promise<Page<ShownTag>> {
    const query = { sort: ['name'], status: 'active' as const, ...asked };
    return this.objects.shortList(query, (tag) => this.stateOf(tag) === query.status);
  }

  /** @throws Problem 409 `duplicate`, `limit_reached`. */
  create({ name }: Pick<Tag, 'name'>): Promise<ShownTag> {
    return this.objects.create(() => ({ name, createdBy: currentScope().actor, archivedAt: null }));
  }

  /** Renames a tag, also on its records. @throws Problem 404, 409 `duplicate`, `limit_reached`, 412. */
  update(id: string, patch: Partial<Pick<Tag, 'name'>>): Promise<ShownTag> {
    return this.objects.update(id, () => patch, {
      event: 'renamed',
      saved: async (transaction, after, before) => {
        if (after === before) return;
        await transaction.query({ text: 'select', values: [] }); // flushes the write, so that a duplicate name fails before the records change
        await this.uses.move(transaction, before!.name, after.name);
      },
    });
  }

  /** Replaces a tag on its records with another one and deletes it. @throws Problem 400, 404, 409, 412. */
  merge(id: string, intoId: string): Promise<ShownTag> {
    return this.objects.unit(async (transaction) => {
      const before = await this.objects.lock(transaction, id);
      const into = id === intoId ? null : await this.objects.rows.lock(transaction, intoId);
      if (!into) throw invalid('unknown_reference', 'There is no such other tag.');
      if (into.archivedAt !== null) throw invalid('archived_tag', 'The tag is in the archive.');
      await this.uses.move(transaction, before.name, into.name);
      this.objects.remove(transaction, before, 'merged', { reason: `into ${into.name}` });
      return this.objects.show(into);
    });
  }

  /** @throws Problem 404, 409 `invalid_transition`, 412. */
  archive(id: string): Promise<ShownTag> {
    return this.objects.act('archive', id, () => ({ archivedAt: this.objects.now() }));
  }

  /** @throws Problem 404, 409 `invalid_transition`, 412. */
  unarchive(id: string): Promise<ShownTag> {
    return this.objects.act('unarchive', id, () => ({ archivedAt: null }));
  }

  async show(rows: readonly Tag[]): Promise<ShownTag[]> {
    const uses = await this.uses.of(rows.map(({ name }) => name));
    return rows.map((tag) => ({
      ...this.objects.view(tag),
      status: this.stateOf(tag),
      uses: uses.get(fold(tag.name)) ?? [],
    }));
  }

  stateOf({ archivedAt }: Tag) {
    return archivedAt === null ? 'active' : 'archived';
  }
}

function invalid(code: string, detail: string): Problem {
  return Problem.validation([{ pointer: '/intoId', code, detail }]);
}
