import { callerOrNull } from '#libs/auth/current-principal.js';
import type { Rights } from '#libs/auth/reach.js';
import { fieldsOf } from '#libs/http/field.js';
import { actionsFrom } from '#libs/kernel/lifecycle.js';
import type { ResourceDefinition } from '../types/definition.js';
import type { RecordView } from '../types/record.dto.js';
import type { RecordRow } from '../types/record.entity.js';
import type { RecordRights } from '../access/record-rights.js';
import { kebab } from '../types/standard-actions.js';

/** How a type presents its rows. */
interface RowFacts<R, V> {
  stateOf(row: R): string;
  /** Fields of the API that are computed from a row. */
  derive(row: R): Partial<V>;
  /** Whether the record is about the caller. */
  isAboutCaller(row: R): boolean;
  rights: RecordRights;
}

/** Presents rows of one type: to the caller, in lists, and in events. */
export class Presenter<R extends RecordRow, V extends RecordView, A extends string> {
  private readonly allowed = new WeakMap<Rights, Map<string, string[]>>();
  /** Fields that every reader of the record sees. */
  private readonly openFields: readonly string[];
  private readonly restrictedFields: ReadonlySet<string>;

  constructor(
    private readonly definition: ResourceDefinition<R, A>,
    private readonly facts: RowFacts<R, V>,
  ) {
    this.restrictedFields = new Set((definition.restricted ?? []).flatMap(({ fields }) => fields));
    this.openFields = [...fieldsOf(definition.view).keys()].filter((field) => !this.restrictedFields.has(field));
  }

  isRestricted(field: string): boolean {
    return this.restrictedFields.has(field);
  }

  /** The row as in events and the audit log: every field of the view except the restricted ones. */
  toAnyone(row: R): V {
    const shown = this.showInPlace({ ...row }, null) as Record<string, unknown>;
    return Object.fromEntries(this.openFields.map((field) => [field, shown[field]])) as unknown as V; // the fields of the view
  }

  /** All fields of a row, including restricted ones, for decisions of the platform. */
  whole(row: R): Record<string, unknown> {
    return this.showInPlace({ ...row }, null);
  }

  /** The row as the caller sees it, with the allowed actions. */
  toCaller(row: R): V {
    return this.conceal(row, this.showInPlace({ ...row }, this.allowedActions(row)));
  }

  /** Like {@link toCaller} without the actions. Modifies the row. */
  inList(row: R): V {
    return this.conceal(row, this.showInPlace(row, null));
  }

  /** Actions that the state, the archive and the trash allow. */
  possibleActions(row: R): A[] {
    const { lifecycle } = this.definition;
    const actions = actionsFrom(lifecycle, this.facts.stateOf(row));
    if (row.deletedAt !== null) return actions.filter((action) => action === 'restore');
    if (row.archivedAt !== null)
      return actions.filter((each) => ['unarchive', 'delete'].includes(each) || lifecycle.transitions[each].isErasure);
    return actions.filter((action) => action !== 'restore' && action !== 'unarchive');
  }

  /** Removes the restricted fields that the caller may not read. */
  private conceal(row: R, shown: V & Record<string, unknown>): V {
    const { restricted } = this.definition;
    if (!restricted || this.facts.isAboutCaller(row)) return shown;
    const caller = callerOrNull();
    for (const { fields, permission } of restricted)
      if (caller?.permissions.reach(permission) !== 'tenant')
        for (const field of fields) delete (shown as Record<string, unknown>)[field];
    return shown;
  }

  /** Actions that the caller may take on a row, as named in URLs; null for the platform itself. */
  private allowedActions(row: R): string[] | null {
    const caller = callerOrNull();
    if (!caller) return null;
    const { rights } = this.facts;
    if (!rights.marks()) return this.openTo(row, caller.permissions);
    const { transitions } = this.definition.lifecycle;
    const open = this.possibleActions(row).filter((action) => rights.permits(row, transitions[action].permission));
    return open.map(kebab);
  }

  /**
   * Like {@link allowedActions}, for types where they do not depend on the individual record. Computed once per state.
   */
  private openTo(row: R, permissions: Rights): string[] {
    let known = this.allowed.get(permissions);
    if (!known) this.allowed.set(permissions, (known = new Map<string, string[]>()));
    const place = `${this.facts.stateOf(row)} ${row.deletedAt === null} ${row.archivedAt === null}`;
    let actions = known.get(place);
    if (!actions) {
      const { transitions } = this.definition.lifecycle;
      const open = this.possibleActions(row).filter((action) => permissions.has(transitions[action].permission));
      known.set(place, (actions = open.map(kebab)));
    }
    return actions;
  }

  /** Adds computed fields to a row. Modifies the row. Columns that are not in the view are not serialized. */
  private showInPlace(row: R, allowedActions: string[] | null): V & Record<string, unknown> {
    const shown = Object.assign(row, this.facts.derive(row)) as unknown as V & Record<string, unknown>; // the view is just that
    shown.object = this.definition.type;
    shown.allowedActions = allowedActions;
    return shown;
  }
}
