import { every } from '#libs/access/guard.js';
import { callerOrNull, reachOf } from '#libs/auth/current-principal.js';
import type { Permission } from '#libs/auth/permissions.js';
import { breaksConstraint, brokenReference, brokenUnique, exceededPermission } from '#libs/database/failures.js';
import { invalidTransition } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import type { ResourceDefinition } from './definition.js';
import { Presenter } from './presenter.js';
import { RecordExplainer } from './record-explanation.js';
import { beyondReach, RecordRights } from './record-rights.js';
import type { RecordView } from './record.dto.js';
import type { Draft, RecordRow } from './record.entity.js';
import { openings } from './references.js';
import type { ResourceKit } from './resource-kit.js';
import type { ResourceRepository } from './resource.repository.js';
import { kebab, type StandardAction } from './standard-actions.js';
import type { Guard } from './table.js';

export type Input = Record<string, unknown>;

/** What an action decides: the fields that change, or a problem that it throws. `input` is the action's own model. */
export type ActionHandler<R> = (row: R, input: never) => Partial<R> | Promise<Partial<R>>;

/** What an area says of its type, in methods to be overridden, and how the type refuses what cannot be done. */
export abstract class ResourceType<R extends RecordRow, V extends RecordView, A extends string = string> {
  /** What the type's own actions do besides setting the state field. */
  protected readonly handlers: Partial<Record<Exclude<A, StandardAction>, ActionHandler<R>>> = {};

  /** Problems for the database constraints that a caller can run into, by constraint name. */
  protected readonly constraints: Record<string, () => Problem> = {};

  protected readonly presenter: Presenter<R, V, A>;
  protected readonly rights: RecordRights;
  protected readonly explainer: RecordExplainer;

  constructor(
    readonly definition: ResourceDefinition<R, A>,
    readonly kit: ResourceKit,
    protected readonly repository: ResourceRepository<R> = kit.rows(definition.entity),
  ) {
    const { permissions, lifecycle } = definition;
    const transitions = Object.values<{ permission: string }>(lifecycle.transitions);
    const asked = new Set([permissions.write, ...transitions.map(({ permission }) => permission)]);
    this.rights = new RecordRights(definition, [...asked]);
    this.explainer = new RecordExplainer(definition, permissions.read, [...asked]);
    this.presenter = new Presenter(definition, {
      stateOf: (row) => this.stateOf(row),
      derive: (row) => this.derive(row),
      isAboutCaller: (row) => this.isAboutCaller(row),
      rights: this.rights,
    });
  }

  /** State of a row in the life cycle. */
  protected stateOf(row: R): string {
    const { stateField, lifecycle } = this.definition;
    return stateField === undefined ? lifecycle.initial : String((row as unknown as Input)[stateField]); // a column of text
  }

  /** Fields of the API that are worked out from a row. */
  protected derive(_row: R): Partial<V> {
    return {};
  }

  /** A new record from a validated create body. */
  protected async draft(input: Input): Promise<Draft<R>> {
    return input as unknown as Draft<R>; // unless a service says otherwise the members of the body are columns
  }

  /** What a validated patch changes. */
  protected edit(_row: R, patch: Input): Partial<R> | Promise<Partial<R>> {
    return patch as Partial<R>; // as in draft()
  }

  /** What only this type knows of the records that the caller may see; null when that is nothing. */
  protected guard(): Guard | null {
    return null;
  }

  /** Of {@link guard}, whose business a record is: what it leaves out is told nowhere, whatever became of the record. */
  protected secrecy(): Guard | null {
    return this.guard();
  }

  /** Schema-qualified name of the table of the records. */
  get table(): string {
    return this.repository.tableName;
  }

  /** The records that the caller may see at all; null for all of them. */
  visible(): Guard | null {
    return every(this.rights.limits(this.definition.permissions.read), this.guard());
  }

  /** The records that the caller may be told of, also those that are gone with what they are parts of; null for all. */
  disclosed(): Guard | null {
    return every(this.rights.limits(this.definition.permissions.read), this.secrecy());
  }

  /** Whether the caller does already what naming somebody opens to these; `row` is null for a record that is being made. */
  protected holdsOpened(_row: R | null, permission: Permission): boolean | Promise<boolean> {
    return reachOf(permission) === 'tenant';
  }

  /** @throws Problem 403 `field_forbidden` for a field by which the caller would give, perhaps to themselves, what they lack. */
  protected async refuseOpening(input: Input, row: R | null): Promise<void> {
    for (const { field, permission } of openings(this.definition.references, input, row ?? {}))
      if (!(await this.holdsOpened(row, permission)))
        throw new Problem('field_forbidden', `Who is named in ${field} gets what takes ${permission} here.`, {
          extensions: { field, requiredPermission: permission },
        });
  }

  /** Whether the caller is the person that the record is about, who sees its restricted fields. */
  protected isAboutCaller(_row: R): boolean {
    return false;
  }

  /** Where a row stands inside its state, for types that have stages. */
  protected stageOf(_row: R): { stage?: string } {
    return {};
  }

  /**
   * What the conditions of gates can be about besides the fields of the record and the input of the action. Without an
   * action the row is one that has passed its gate, as it is or as an edit would leave it.
   */
  protected gateFacts(_row: R, _action: A | null, _input: Input): Input | Promise<Input> {
    return {};
  }

  /** Whether a gate is about a row at all; `action` as for {@link gateFacts}. */
  protected isGated(_row: R, _action: A | null, _input: Input): boolean | Promise<boolean> {
    return true;
  }

  protected now(): string {
    return this.kit.now();
  }

  /** The row as the API shows it to the caller, with what they could do with it. */
  protected showToCaller(row: R): V {
    return this.presenter.toCaller(row);
  }

  /** The problem that a broken constraint means; any other error as it is. */
  translate(error: unknown): unknown {
    const found = Object.entries(this.constraints).find(([constraint]) => breaksConstraint(error, constraint));
    if (found) return found[1]();
    const permission = exceededPermission(error);
    if (permission !== null) return beyondReach(permission);
    const pointer = brokenReference(error);
    if (pointer !== null)
      return Problem.validation([{ pointer, code: 'unknown_reference', detail: 'There is no such record.' }]);
    const unique = brokenUnique(error);
    const field = unique && (unique === 'external_refs_key' ? 'externalRefs' : this.repository.uniqueField(unique));
    if (!field) return error;
    return new Problem('duplicate', `Another ${this.definition.noun} has the same ${field}.`, {
      extensions: { field },
    });
  }

  /** @throws Problem 409 for an action that the state does not allow. */
  protected refuseImpossible(row: R, action: A): void {
    const { byPlatform, from } = this.definition.lifecycle.transitions[action];
    const open = byPlatform ? from.includes(this.stateOf(row)) : this.presenter.possibleActions(row).includes(action);
    if (!open) throw action === 'delete' ? this.undeletable(row) : this.refusal(row, action);
  }

  /** 409 for an action that the state does not allow. */
  protected refusal(row: R, action: string, detail?: string): Problem {
    const actions = this.presenter.possibleActions(row).map(kebab);
    return invalidTransition(kebab(action), { state: this.stateOf(row), ...this.stageOf(row) }, actions, detail);
  }

  /** 409 for a record that cannot go into the trash. */
  private undeletable(row: R): Problem {
    const { noun } = this.definition;
    const detail = `The ${noun} cannot be deleted in the state ${this.stateOf(row)}.`;
    return new Problem('record_locked', detail);
  }

  /** @throws Problem 403 `field_forbidden` for a field that the caller may not even read. */
  protected refuseRestricted(input: Input): void {
    for (const { fields, permission } of this.definition.restricted ?? []) {
      const field = fields.find((each) => each in input);
      if (field !== undefined && callerOrNull()?.permissions.reach(permission) !== 'tenant')
        throw new Problem('field_forbidden', `The field ${field} needs the scope ${permission}.`, {
          extensions: { field, requiredPermission: permission },
        });
    }
  }

  /** @throws Problem 409 `record_locked` for an archived record. */
  protected refuseLocked(row: R): void {
    if (row.archivedAt !== null)
      throw new Problem('record_locked', `The ${this.definition.noun} is archived; unarchive it to change it.`);
  }
}
