import { requirePermission } from '#libs/auth/current-principal.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { Asked, Decisions, Input, NumberSource } from '../types/decisions.js';
import type { ResourceDefinition } from '../types/definition.js';
import { RecordLists } from '../lists/record-lists.js';
import type { RecordPage } from '../lists/record-page.js';
import type { Deleted, RecordView } from '../types/record.dto.js';
import type { RecordRow } from '../types/record.entity.js';
import type { Explanation } from '../access/record-explanation.js';
import { trashQueries } from '../access/references.js';
import type { ResourceKit } from '../resource-kit.js';
import type { ResourceRepository } from '../lists/resource.repository.js';
import { RowChanges } from './row-changes.js';
import { shorthandOf } from './shorthand.js';
import { type StandardAction, STANDARD_ACTIONS, withArticle } from '../types/standard-actions.js';
import type { Guard } from '../lists/table.js';
import { TypeGates } from './type-gates.js';
import { TypeRules } from './type-rules.js';

/** Name of an edit that waits for approval. */
const EDIT = 'update';

/**
 * The operations on records of a type, called by the caller or as a consequence of another change. Type-specific
 * behaviour is in its {@link Decisions}.
 */
export class Records<R extends RecordRow = RecordRow, V extends RecordView = RecordView, A extends string = string> {
  readonly rules: TypeRules<R, V, A>;
  readonly rows: RowChanges<R, V, A>;
  private readonly gates: TypeGates<R, V, A>;
  private readonly lists: RecordLists<R, V, A>;

  constructor(
    readonly definition: ResourceDefinition<R, A>,
    readonly kit: ResourceKit,
    private readonly decisions: Decisions<R, V, A>,
    private readonly repository: ResourceRepository<R> = kit.rows(definition.entity),
    numbers?: NumberSource<R>,
  ) {
    this.rules = new TypeRules(definition, decisions, repository);
    this.rows = new RowChanges(kit, this.rules, repository, numbers);
    this.gates = new TypeGates(kit, this.rules, this.rows);
    this.lists = new RecordLists(kit, this.rules, repository);
  }

  /** Creates the records of a type and registers them, so that other code finds them by type key. */
  static of<R extends RecordRow, V extends RecordView, A extends string>(
    definition: ResourceDefinition<R, A>,
    kit: ResourceKit,
    decisions: Decisions<R, V, A>,
    repository?: ResourceRepository<R>,
    numbers?: NumberSource<R>,
  ): Records<R, V, A> {
    const records = new Records(definition, kit, decisions, repository, numbers);
    kit.registry.add(definition, Object.keys(decisions.actions ?? {}), records);
    return records;
  }

  /** Schema-qualified name of the table of the records. */
  get table(): string {
    return this.repository.tableName;
  }

  /** Limits records to those that the caller may see; null for all. */
  visible(): Guard | null {
    return this.rules.visible();
  }

  /** Limits records to those that the caller may know about; see {@link TypeRules.disclosed}. */
  disclosed(): Guard | null {
    return this.rules.disclosed();
  }

  /** The problem for a violated constraint; any other error unchanged. */
  translate(error: unknown): unknown {
    return this.rules.translate(error);
  }

  /** One transaction; violated constraints become problems. */
  unit<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.rows.unit(work);
  }

  /** A page of the records that satisfy `within`, by default those that the caller may see. */
  async list(query: Input, within?: Guard | null): Promise<RecordPage<V>> {
    await this.decisions.ready?.(query);
    return this.lists.page(query, within === undefined ? this.visible() : within);
  }

  /**
   * The statement that selects the first `limit` records of the caller's list, as `id` and `position` in its order.
   * For a validated query. @throws Problem 400, 403.
   */
  async selection(query: Input, limit: number): Promise<Statement> {
    await this.decisions.ready?.(query);
    return this.lists.selection(query, this.visible(), limit);
  }

  /** Those of the records with these ids that the caller may see, as in their list; see {@link RecordLists.among}. */
  async among(ids: readonly string[], query: Input): Promise<Required<RecordPage<V>>> {
    await this.decisions.ready?.(query);
    return this.lists.among(ids, query, this.visible());
  }

  /** The record as the API shows it, or those of its fields that `query` asks for. @throws Problem 404. */
  async get(id: string, query: Input = {}): Promise<V> {
    await this.decisions.ready?.();
    const row = await this.read(id);
    const view = this.rules.show(row);
    return this.lists.one(this.decisions.detail ? await this.decisions.detail(view, row) : view, query);
  }

  /** The row with an id that the caller may see; null if there is none or it is in the trash. */
  async find(id: string): Promise<R | null> {
    const row = await this.repository.find(id, this.visible(), this.rules.rights.marks());
    return row?.deletedAt === null ? row : null;
  }

  /** Like {@link find}. @throws Problem 404. */
  async read(id: string): Promise<R> {
    const row = await this.find(id);
    if (!row) throw Problem.notFound();
    return row;
  }

  /** Like {@link read}, for consequences of other changes: ignores what the caller may see. */
  async readPlainly(id: string): Promise<R> {
    const row = await this.repository.find(id);
    if (row?.deletedAt !== null) throw Problem.notFound();
    return row;
  }

  /** Like {@link read}, but also checks a permission of another type on it. @throws Problem 403, 404. */
  async readFor(id: string, permission: string): Promise<R> {
    const { rights } = this.rules;
    const row = await this.repository.find(id, this.visible(), rights.marks([permission]));
    if (row?.deletedAt !== null) throw Problem.notFound();
    rights.require(row, permission);
    return row;
  }

  /**
   * Whether the caller may see these fields of a record and use a permission on it. Includes records in the archive
   * and the trash. True for a record that no longer exists.
   */
  async isOpen(id: string, permission: string | null, fields: readonly string[]): Promise<boolean> {
    await this.decisions.ready?.();
    const { rights } = this.rules;
    const used = permission === null ? [] : [permission];
    const row = await this.repository.find(id, this.visible(), rights.marks(used));
    if (!row) return (await this.repository.find(id)) === null;
    if (used.some((each) => rights.limits(each) && !rights.permits(row, each))) return false;
    const shown = this.rules.show(row);
    return fields.every((field) => field in shown);
  }

  /** What the caller may do with a record and why, even if they may not see it; null if the record does not exist. */
  async explain(id: string, more: readonly string[] = []): Promise<Explanation | null> {
    const { explainer } = this.rules;
    const row = await this.repository.find(id, null, explainer.marks(this.rules.guard(), more));
    return row?.deletedAt === null ? explainer.explain(row, more) : null;
  }

  async create(input: Input): Promise<V> {
    return this.around({ verb: 'create', id: null, input }, async (body) => {
      this.rules.refuseRestricted(body);
      await this.rules.refuseOpening(body, null);
      let { epoch } = currentTenant();
      let row = await this.rows.draft(body);
      await this.gates.refuseBeyond(row);
      const work = async (transaction: Transaction): Promise<V> => {
        // Cached facts were outdated, and the draft may depend on them.
        if (epoch !== currentTenant().epoch) {
          row = { ...row, ...(await this.rows.contentOf(body)) };
          await this.gates.refuseBeyond(row);
        }
        ({ epoch } = currentTenant());
        return this.rules.show(await this.rows.add(transaction, row));
      };
      return this.rows.unit(work, { mayShare: this.definition.createsTogether });
    });
  }

  /** Applies a merge patch. A patch that changes nothing keeps the version and emits nothing. */
  async update(id: string, input: Input): Promise<V> {
    return this.around({ verb: EDIT, id, input }, async (patch) => {
      this.rules.refuseRestricted(patch);
      return this.rows.unit(async (transaction) => {
        const row = await this.rows.lock(transaction, id, { permission: null });
        const other = await this.decisions.shorthand?.(patch, row);
        if (other) return this.transitAsCaller(transaction, row, other.action, other.input);
        const shorthand = shorthandOf(this.definition, this.rules.stateOf(row), patch);
        if (shorthand) {
          if (!shorthand.action) throw this.rules.refusal(row, shorthand.name);
          return this.transitAsCaller(transaction, row, shorthand.action, shorthand.input);
        }
        this.rules.rights.require(row, this.definition.permissions.write);
        this.rules.refuseLocked(row);
        const gate = await this.gates.ofEdit(transaction, row, patch);
        const work = () => this.editAsCaller(transaction, row, patch);
        if (!gate) return work();
        const summary = `Change ${withArticle(this.definition.noun)}`;
        const order = { action: EDIT, summary, permission: this.definition.permissions.write, input: patch };
        return this.gates.wait(transaction, gate, row, order, work);
      });
    });
  }

  /** Takes an action of the life cycle. @throws Problem 409 `invalid_transition`. */
  async act(action: A, id: string, input: Input): Promise<V> {
    return this.around({ verb: action, id, input: input ?? {} }, (body) =>
      this.rows.unit(async (transaction) => {
        const row = await this.rows.lock(transaction, id, { permission: null, fromTrash: action === 'restore' });
        return this.transitAsCaller(transaction, row, action, body);
      }),
    );
  }

  async remove(id: string): Promise<Deleted> {
    const { deletedAt } = await this.act('delete' as A, id, {});
    return { id, object: this.definition.type, deleted: true, deletedAt: deletedAt! };
  }

  /**
   * Takes an action as a consequence of another change, without checking the caller's permission or `If-Match`.
   * @throws Problem 404, 409 `invalid_transition`.
   */
  async follow(action: A, id: string, input: Input = {}): Promise<V> {
    return this.rows.unit(async (transaction) =>
      this.rules.show(await this.transit(transaction, await this.rows.lockPlainly(transaction, id), action, input)),
    );
  }

  /** Changes fields as a consequence of another change, like {@link follow} for actions. @throws Problem 404. */
  async amend(id: string, change: (row: R) => Partial<R>, event = 'updated'): Promise<V> {
    return this.rows.unit(async (transaction) => {
      const row = await this.rows.lockPlainly(transaction, id);
      return this.rules.show(await this.rows.apply(transaction, row, change(row), event));
    });
  }

  /** Overwrites fields of a record, including one in the trash; see {@link RowChanges.erase}. @throws Problem 404. */
  async erase(transaction: Transaction, id: string, changes: Partial<R>): Promise<void> {
    const row = await this.repository.lock(transaction, id);
    if (!row) throw Problem.notFound();
    await this.rows.erase(transaction, row, { ...changes, ...this.decisions.erased?.(row) });
  }

  /** Executes an approved command as the requester. @throws Problem 409 `stale_target`. */
  async execute(action: A | typeof EDIT, id: string, input: Input, version: number): Promise<V> {
    return this.around({ verb: action, id, input }, (body) =>
      this.rows.unit(async (transaction) => {
        const { lifecycle, permissions, type: object } = this.definition;
        const permission = action === EDIT ? permissions.write : lifecycle.transitions[action].permission;
        requirePermission(permission, { object });
        const row = await this.rows.lock(transaction, id, { permission });
        if (row.version !== version)
          throw new Problem('stale_target', 'The record has changed since approval was asked for.');
        if (action !== EDIT) {
          await this.decisions.mayAct?.(row, action);
          return this.rules.show(await this.transit(transaction, row, action, body));
        }
        this.rules.refuseRestricted(body);
        this.rules.refuseLocked(row);
        return this.editAsCaller(transaction, row, body);
      }),
    );
  }

  /**
   * Whether a gate of the tenant denies the caller an action on a row, or holds it for approval. For consequences that
   * must not pass it.
   */
  async isHeld(row: R, action: A, input: Input = {}): Promise<boolean> {
    const { gate } = this.definition.lifecycle.transitions[action];
    if (!gate) return false;
    try {
      return (await this.gates.ofAction(gate.key, row, action, input)) !== null;
    } catch (error) {
      if (error instanceof Problem && error.code === 'gate_denied') return true;
      throw error;
    }
  }

  /** Takes a caller's action on a locked row. Returns the record or the pending approval. */
  async transitAsCaller(transaction: Transaction, row: R, action: A, input: Input): Promise<V> {
    const { gate, permission, summary, byPlatform, event } = this.definition.lifecycle.transitions[action];
    if (!(await this.decisions.mayAct?.(row, action))) {
      requirePermission(permission, { object: this.definition.type });
      this.rules.rights.require(row, permission);
    }
    if (byPlatform) throw this.rules.refusal(row, action);
    this.rows.expectVisible(transaction, input, row);
    const work = async () => this.rules.show(await this.transit(transaction, row, action, input));
    const holding = gate && (await this.gates.ofAction(gate.key, row, action, input));
    if (holding) return this.gates.wait(transaction, holding, row, { action, summary, permission, input }, work);
    const view = await work();
    await this.decisions.told?.(view, event);
    return view;
  }

  /** Takes an action on a locked row; returns the changed row. */
  async transit(transaction: Transaction, locked: R, action: A, input: Input): Promise<R> {
    const { lifecycle } = this.definition;
    const { to, event, risk: riskLevel, isConfidential, isErasure } = lifecycle.transitions[action];
    const row = (await this.decisions.prepare?.(transaction, locked, action, input)) ?? locked;
    this.rules.refuseImpossible(row, action);
    await this.rules.refuseOpening(input, row);
    if (action === 'restore') await this.refuseDangling(transaction, row);
    const standard = STANDARD_ACTIONS[action as StandardAction] as ((at: string) => Partial<RecordRow>) | undefined;
    const handler = this.decisions.actions?.[action as Exclude<A, StandardAction>];
    const changes = standard
      ? (standard(this.rows.now()) as Partial<R>)
      : { ...this.stateAfter(to), ...(await handler?.(row, input as never)) }; // validated against its model
    if (isErasure) return this.rows.erase(transaction, row, changes, event);
    const reason = typeof input['reason'] === 'string' && !isConfidential ? input['reason'] : null;
    return this.rows.apply(transaction, row, changes, event, {
      reason,
      riskLevel,
      move: standard ? null : action,
      input,
    });
  }

  private async around(asked: Asked<A>, work: (input: Input) => Promise<V>): Promise<V> {
    await this.decisions.ready?.();
    return this.decisions.around ? this.decisions.around(asked, work) : work(asked.input);
  }

  private async editAsCaller(transaction: Transaction, row: R, patch: Input): Promise<V> {
    await this.rules.refuseOpening(patch, row);
    this.rows.expectVisible(transaction, patch, row);
    const changes = await this.rows.edit(row, patch);
    await this.gates.refuseSettled(row, changes);
    const after = await this.rows.apply(transaction, row, changes, 'updated');
    this.rows.expectNoGain(transaction, row);
    return this.rules.show(after);
  }

  /**
   * @throws Problem 409 `reference_in_trash` if a referenced record is in the trash.
   */
  private async refuseDangling(transaction: Transaction, row: R): Promise<void> {
    const { references, named } = this.definition;
    for (const [field, query] of trashQueries({ ...references, ...named }, row)) {
      const found = await transaction.query<{ deletedAt: string | null }>(query);
      if (found.some(({ deletedAt }) => deletedAt !== null))
        throw new Problem('reference_in_trash', `What ${field} names is in the trash; restore that first.`, {
          extensions: { field },
        });
    }
  }

  private stateAfter(to: string | null): Partial<R> {
    const { stateField } = this.definition;
    return stateField !== undefined && to !== null ? ({ [stateField]: to } as Partial<R>) : {};
  }
}
