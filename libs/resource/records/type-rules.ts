import { every, NOTHING } from '#libs/access/guard.js';
import { limitsOf } from '#libs/access/limits.js';
import { callerOrNull, reachOf } from '#libs/auth/current-principal.js';
import {
  archivedTag,
  breaksConstraint,
  brokenReference,
  exceededPermission,
  heldProblem,
} from '#libs/database/failures.js';
import { invalidTransition } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Decisions, Input } from '../types/decisions.js';
import type { ResourceDefinition } from '../types/definition.js';
import { Presenter } from './presenter.js';
import { RecordExplainer } from '../access/record-explanation.js';
import { beyondReach, RecordRights } from '../access/record-rights.js';
import type { RecordView } from '../types/record.dto.js';
import type { RecordRow } from '../types/record.entity.js';
import { openings } from '../access/references.js';
import type { ResourceRepository } from '../lists/resource.repository.js';
import { kebab } from '../types/standard-actions.js';
import type { Guard } from '../lists/table.js';
import { translateUnique } from './unique.js';

/** The rules of a type: who sees its records, how they are presented, and which problems refusals return. */
export class TypeRules<R extends RecordRow, V extends RecordView, A extends string = string> {
  readonly rights: RecordRights;
  readonly explainer: RecordExplainer;
  readonly presenter: Presenter<R, V, A>;

  constructor(
    readonly definition: ResourceDefinition<R, A>,
    readonly decisions: Decisions<R, V, A>,
    private readonly repository: ResourceRepository<R>,
  ) {
    const { permissions, lifecycle } = definition;
    const transitions = Object.values<{ permission: string }>(lifecycle.transitions);
    const asked = new Set([permissions.write, ...transitions.map(({ permission }) => permission)]);
    this.rights = new RecordRights(definition, [...asked]);
    this.explainer = new RecordExplainer(definition, permissions.read, [...asked]);
    this.presenter = new Presenter(definition, {
      stateOf: (row) => this.stateOf(row),
      derive: (row) => decisions.derive?.(row) ?? {},
      isAboutCaller: (row) => decisions.isAboutCaller?.(row) ?? false,
      rights: this.rights,
    });
  }

  /** State of a row in the life cycle. */
  stateOf(row: R): string {
    if (this.decisions.stateOf) return this.decisions.stateOf(row);
    const { stateField, lifecycle } = this.definition;
    return stateField === undefined ? lifecycle.initial : String((row as unknown as Input)[stateField]); // a column of text
  }

  /** State of a row, and its stage within the state. */
  placeOf(row: R): { state: string; stage?: string } {
    const { stageField } = this.definition;
    const stage = stageField === undefined ? null : (row as unknown as Input)[stageField]; // a column of text
    return { state: this.stateOf(row), ...(typeof stage === 'string' && { stage }) };
  }

  /** The row as the API shows it to the caller, with the allowed actions. */
  show(row: R): V {
    const view = this.presenter.toCaller(row);
    return this.decisions.present?.(view, row) ?? view;
  }

  /** Like {@link show} without the actions, for lists. Modifies the row. */
  showInList(row: R): V {
    const view = this.presenter.inList(row);
    return this.decisions.present?.(view, row) ?? view;
  }

  /** Limits records beyond permissions; null for no further limit. */
  guard(): Guard | null {
    return this.decisions.guard?.() ?? null;
  }

  /** Limits records to those that the caller may see; null for all. */
  visible(): Guard | null {
    return every(this.rights.limits(this.definition.permissions.read), this.guard());
  }

  /**
   * Limits records to those that the caller may know about, including parts of deleted records. Null for all;
   * {@link NOTHING} for a caller who may read none.
   */
  disclosed(): Guard | null {
    const limits = limitsOf(this.definition, this.definition.permissions.read);
    if (limits === NOTHING) return NOTHING;
    return every(limits, this.decisions.secrecy ? this.decisions.secrecy() : this.guard());
  }

  /** The problem for a violated constraint; any other error unchanged. */
  translate(error: unknown): unknown {
    const constraints = Object.entries(this.decisions.constraints ?? {});
    const found = constraints.find(([constraint]) => breaksConstraint(error, constraint));
    if (found) return found[1]();
    const held = heldProblem(error);
    if (held) return held;
    const permission = exceededPermission(error);
    if (permission !== null) return beyondReach(permission);
    const closed = archivedTag(error);
    if (closed !== null)
      return Problem.validation([{ pointer: '/tags', code: 'archived_tag', detail: `The tag ${closed} is archived.` }]);
    const pointer = brokenReference(error);
    if (pointer !== null)
      return Problem.validation([{ pointer, code: 'unknown_reference', detail: 'There is no such record.' }]);
    return translateUnique(error, this.repository, this.definition.noun);
  }

  /** 409 for an action that the state does not allow. */
  refusal(row: R, action: string, detail?: string): Problem {
    const actions = this.presenter.possibleActions(row).map(kebab);
    return invalidTransition(kebab(action), this.placeOf(row), actions, detail);
  }

  /** @throws Problem 409 for an action that the state does not allow. */
  refuseImpossible(row: R, action: A): void {
    const { byPlatform, from } = this.definition.lifecycle.transitions[action];
    const open = byPlatform ? from.includes(this.stateOf(row)) : this.presenter.possibleActions(row).includes(action);
    if (open) return;
    if (action !== 'delete') throw this.refusal(row, action);
    const { noun } = this.definition;
    throw new Problem('record_locked', `The ${noun} cannot be deleted in the state ${this.stateOf(row)}.`);
  }

  /** @throws Problem 409 `record_locked` for an archived record. */
  refuseLocked(row: R): void {
    if (row.archivedAt !== null)
      throw new Problem('record_locked', `The ${this.definition.noun} is archived; unarchive it to change it.`);
  }

  /** @throws Problem 403 `field_forbidden` for a field that the caller may not read. */
  refuseRestricted(input: Input): void {
    for (const { fields, permission } of this.definition.restricted ?? []) {
      const field = fields.find((each) => each in input);
      if (field !== undefined && callerOrNull()?.permissions.reach(permission) !== 'tenant')
        throw new Problem('field_forbidden', `The field ${field} needs the scope ${permission}.`, {
          extensions: { field, requiredPermission: permission },
        });
    }
  }

  /**
   * @throws Problem 403 `field_forbidden` for a field that would give somebody access that the caller does not have.
   */
  async refuseOpening(input: Input, row: R | null): Promise<void> {
    for (const { field, permission } of openings(this.definition.references, input, row ?? {})) {
      const holds = (await this.decisions.holdsOpened?.(row, permission)) ?? reachOf(permission) === 'tenant';
      if (!holds)
        throw new Problem('field_forbidden', `Naming someone in ${field} grants access that requires ${permission}.`, {
          extensions: { field, requiredPermission: permission },
        });
    }
  }
}
