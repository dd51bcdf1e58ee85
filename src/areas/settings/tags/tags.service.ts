import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { fold } from '#libs/kernel/fold.js';
import { invalidTransition } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import { byName } from '#libs/resource/lists/named-list.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { MAX_TAGS, type Tag, tags } from './tag.js';
import type { TagQuery } from './tag.requests.js';
import { TagUses } from './tag-uses.js';

type ShownTag = ShownObject<Tag>;

/** Managed tags of the tenant. */
@Injectable()
export class TagsService {
  private readonly objects: GovernedObjects<Tag>;

  constructor(
    kit: ResourceKit,
    private readonly uses: TagUses,
    private readonly cursors: Cursors,
  ) {
    this.objects = new GovernedObjects(tags, kit);
  }

  async list(asked: TagQuery): Promise<Page<ShownTag>> {
    const query = { sort: ['name'], status: 'active' as const, ...asked };
    const { sort: _, status, ...paging } = query;
    const found = byName(await this.objects.rows.all(), query).filter((tag) => statusOf(tag) === status);
    const purpose = ['tags', status];
    const { data, page } = pageOfAll(found, paging, this.cursors, purpose);
    return { data: await this.show(data), page };
  }

  /** @throws Problem 404. */
  async get(id: string): Promise<ShownTag> {
    const tag = await this.objects.rows.find(id);
    if (!tag) throw Problem.notFound();
    return this.shown(tag);
  }

  /** @throws Problem 409 `duplicate`, `limit_reached`. */
  create({ name }: Pick<Tag, 'name'>): Promise<ShownTag> {
    return this.objects.unit(async (transaction) => {
      if ((await this.objects.rows.all()).length >= MAX_TAGS)
        throw new Problem('limit_reached', `A tenant can have at most ${MAX_TAGS} managed tags.`);
      const own = { name, createdBy: currentScope().actor, archivedAt: null };
      return this.shown(this.objects.add(transaction, own));
    });
  }

  /** Renames a tag, also on its records. @throws Problem 404, 409 `duplicate`, `limit_reached`, 412. */
  update(id: string, { name }: Partial<Pick<Tag, 'name'>>): Promise<ShownTag> {
    return this.objects.unit(async (transaction) => {
      const before = await this.objects.lock(transaction, id);
      if (name === undefined || name === before.name) return this.shown(before);
      const after = this.objects.change(transaction, before, { name }, 'renamed');
      await transaction.query({ text: 'select', values: [] }); // flushes the write, so that a duplicate name fails before the records change
      await this.uses.move(transaction, before.name, name);
      return this.shown(after);
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
      return this.shown(into);
    });
  }

  /** @throws Problem 404, 409 `invalid_transition`, 412. */
  archive(id: string): Promise<ShownTag> {
    return this.move(id, 'archive');
  }

  /** @throws Problem 404, 409 `invalid_transition`, 412. */
  unarchive(id: string): Promise<ShownTag> {
    return this.move(id, 'unarchive');
  }

  private move(id: string, action: 'archive' | 'unarchive'): Promise<ShownTag> {
    return this.objects.unit(async (transaction: Transaction) => {
      const before = await this.objects.lock(transaction, id);
      const state = statusOf(before);
      if ((state === 'active') !== (action === 'archive')) throw invalidTransition(action, { state }, []);
      const archivedAt = action === 'archive' ? this.objects.now() : null;
      return this.shown(this.objects.change(transaction, before, { archivedAt }, `${action}d`));
    });
  }

  private async shown(tag: Tag): Promise<ShownTag> {
    return (await this.show([tag]))[0]!;
  }

  private async show(rows: readonly Tag[]): Promise<ShownTag[]> {
    const uses = await this.uses.of(rows.map(({ name }) => name));
    return rows.map((tag) => ({
      ...tag,
      object: tags.type,
      status: statusOf(tag),
      uses: uses.get(fold(tag.name)) ?? [],
    }));
  }
}

function statusOf({ archivedAt }: Tag) {
  return archivedAt === null ? 'active' : 'archived';
}

function invalid(code: string, detail: string): Problem {
  return Problem.validation([{ pointer: '/intoId', code, detail }]);
}
