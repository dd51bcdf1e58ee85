import { type EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { inlineSchemaOf } from '#libs/http/schema.js';
import { Problem } from '#libs/kernel/problem.js';
import { mergedRefs } from '#libs/resource/carrying.js';
import { examplePathOf, type ResourceDefinition } from '#libs/resource/definition.js';
import type { RecordView } from '#libs/resource/record.dto.js';
import { type ResourceKit } from '#libs/resource/resource-kit.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import { fieldReferrer, type Referrer, type ReferringService } from './referrer.js';
import type { MergeableRepository, MergeableRow } from './mergeable.repository.js';

type Input = Record<string, unknown>;

const DEFER = statement('set constraints all deferred');
const CHECK = statement('set constraints all immediate');

/**
 * Records of which two can turn out to be the same: one is merged into the other, which takes over everything that refers to
 * it. Whoever refers to such records registers; an area that is not asked here would keep pointing at the wrong one.
 */
export abstract class MergeableService<
  R extends MergeableRow,
  V extends RecordView,
  A extends string,
> extends ResourceService<R, V, A> {
  private readonly referrers: Referrer[] = [];

  constructor(
    definition: ResourceDefinition<R, A>,
    kit: ResourceKit,
    protected override readonly repository: MergeableRepository<R>,
    private readonly events: EventCatalogue,
  ) {
    super(definition, kit, repository);
  }

  override onModuleInit(): void {
    super.onModuleInit();
    const { type, noun, view, example } = this.definition;
    this.events.add({
      type: `${type}.merged`,
      version: 1,
      description: `A ${noun} was merged into another one.`,
      data: inlineSchemaOf(view),
      example,
      subjectType: type,
      exampleUrl: examplePathOf(this.definition),
    });
  }

  /** Registers a field of other records that holds the id of one of these. */
  referredBy(service: ReferringService, field: string): void;
  /** Registers other ways to refer to these records. */
  referredBy(referrer: Referrer): void;
  referredBy(from: ReferringService | Referrer, field?: string): void {
    this.referrers.push(field === undefined ? (from as Referrer) : fieldReferrer(from as ReferringService, field));
  }

  /**
   * Merges a record into another one: references and what it is known by move, the record is archived for good. Both are locked in the order of
   * their ids, so that of two merges at once the second finds what the first has done.
   * @throws Problem 400 for a target that is not there, 404, 409 `record_locked` when one of them is archived or merged.
   */
  async merge(id: string, { intoId }: { intoId: string }): Promise<V> {
    if (intoId === id) throw intoFault('invalid_value', `A ${this.definition.noun} cannot be merged into itself.`);
    return this.unit(async (transaction) => {
      await this.repository.lockWhole(transaction, [id, intoId]);
      const row = await this.lock(transaction, id);
      const into = await this.repository.lock(transaction, intoId, this.visible(), this.rights.marks());
      this.refuseLocked(row);
      if (into?.deletedAt !== null)
        throw intoFault('unknown_reference', `There is no such ${this.definition.noun} to merge into.`);
      this.rights.require(into, this.definition.permissions.write);
      this.refuseLocked(into);
      await this.move(transaction, row, into);
      const refs = mergedRefs(into, row);
      const changes = { archivedAt: this.now(), mergedIntoId: intoId, externalRefs: refs.from } as Partial<R>;
      const view = this.apply(transaction, row, changes, 'merged', { riskLevel: 'medium' });
      await this.amend(intoId, (left) => ({ ...this.takenOver(left, row), externalRefs: refs.into }));
      return view;
    });
  }

  /** The record with an id, or what it was merged into; null when there is none that the caller may see. */
  async survivor(id: string): Promise<R | null> {
    const row = await this.find(id);
    return row?.mergedIntoId ? this.survivor(row.mergedIntoId) : row;
  }

  /** What a record takes over of one that is merged into it, by which that one is known, besides ids in other systems. */
  protected takenOver(_into: R, _from: R): Partial<R> {
    return {};
  }

  /** Makes everything that refers to one record refer to another one. Only when all has moved it has to fit together. */
  protected async move(transaction: Transaction, from: R, into: R): Promise<void> {
    transaction.write(DEFER);
    for (const referrer of this.referrers) await referrer.move(from.id, into.id);
    await transaction.query(CHECK);
  }

  protected override async transit(transaction: Transaction, row: R, action: A, input: Input): Promise<V> {
    if (action === 'unarchive' && row.mergedIntoId !== null)
      throw new Problem('record_locked', `The ${this.definition.noun} was merged into another one.`);
    if (action === 'delete') await this.refuseUsed(transaction, row);
    return super.transit(transaction, row, action, input);
  }

  /** @throws Problem 409 `in_use` while something refers to the record. */
  private async refuseUsed(transaction: Transaction, { id }: R): Promise<void> {
    await this.repository.lockWhole(transaction, [id]);
    const users: string[] = [];
    for (const { noun, isUsed } of this.referrers) if (await isUsed(id)) users.push(noun);
    if (users.length > 0)
      throw new Problem('in_use', `The ${this.definition.noun} is in use by ${[...new Set(users)].join(', ')}.`);
  }
}

function intoFault(code: string, detail: string): Problem {
  return Problem.validation([{ pointer: '/intoId', code, detail }]);
}
