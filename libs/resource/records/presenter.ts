import { callerOrNull } from '#libs/auth/current-principal.js';
import type { Rights } from '#libs/auth/reach.js';
import { fieldsOf } from '#libs/http/field.js';
import { actionsFrom } from '#libs/kernel/lifecycle.js';
import type { ResourceDefinition } from '../types/definition.js';
import type { RecordView } from '../types/record.dto.js';
import type { RecordRow } from '../types/record.entity.js';
import type { RecordRights } from '../access/record-rights.js';
import { kebab } from '../types/standard-actions.js';

/** What a type says about its rows. */
interface RowFacts<R, V> {
  stateOf(row: R): string;
  /** Fields of the API that are worked out from a row. */
  derive(row: R): Partial<V>;
  /** Whether the caller is the person that the record is about. */
  isAboutCaller(row: R): boolean;
  rights: RecordRights;
}

/** How rows of one type look in the API: to the caller, in lists, and to nobody in particular. */
export class Presenter<R extends RecordRow, V extends RecordView, A extends string> {
  private readonly allowed = new WeakMap<Rights, Map<string, string[]>>();
  /** Fields of the view that everyone sees who may read the record. */
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

  /** The row as it stands in events and in the audit log: every field of the view but the restricted ones. */
  toAnyone(row: R): V {
    const shown = this.showInPlace({ ...row }, null) as Record<string, unknown>;
    return Object.fromEntries(this.openFields.map((field) => [field, shown[field]])) as unknown as V; // the fields of the view
  }

  /** Everything that the API could show of a row, for the platform's own judgement. */
  whole(row: R): Record<string, unknown> {
    return this.showInPlace({ ...row }, null);
  }

  /** The row as the caller sees it, with what they could do with it. */
  toCaller(row: R): V {
    return this.conceal(row, this.showInPlace({ ...row }, this.allowedActions(row)));
  }

  /** As {@link toCaller} without the actions; the row is not used any further. */
  inList(row: R): V {
    return this.conceal(row, this.showInPlace(row, null));
  }

  /** Actions that state, archive and trash leave open. */
  possibleActions(row: R): A[] {
    const actions = actionsFrom(this.definition.lifecycle, this.facts.stateOf(row));
    if (row.deletedAt !== null) return actions.filter((action) => action === 'restore');
    if (row.archivedAt !== null) return actions.filter((action) => action === 'unarchive' || action === 'delete');
    return actions.filter((action) => action !== 'restore' && action !== 'unarchive');
  }

  /** Takes away the restricted fields that the caller may not read. */
  private conceal(row: R, shown: V & Record<string, unknown>): V {
    const { restricted } = this.definition;
    if (!restricted || this.facts.isAboutCaller(row)) return shown;
    const caller = callerOrNull();
    for (const { fields, permission } of restricted)
      if (caller?.permissions.reach(permission) !== 'tenant')
        for (const field of fields) delete (shown as Record<string, unknown>)[field];
    return shown;
  }

  /** Actions that the caller may take on a row, as they stand in URLs; null for the platform itself. */
  private allowedActions(row: R): string[] | null {
    const caller = callerOrNull();
    if (!caller) return null;
    const { rights } = this.facts;
    if (!rights.marks()) return this.openTo(row, caller.permissions);
    const { transitions } = this.definition.lifecycle;
    const open = this.possibleActions(row).filter((action) => rights.permits(row, transitions[action].permission));
    return open.map(kebab);
  }

  /** As {@link allowedActions} where every record of the type is as good as another; worked out once for each state. */
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

  /** Adds what the API shows to a row that is not used any further. Columns that it does not show are not serialized. */
  private showInPlace(row: R, allowedActions: string[] | null): V & Record<string, unknown> {
    const shown = Object.assign(row, this.facts.derive(row)) as unknown as V & Record<string, unknown>; // the view is just that
    shown.object = this.definition.type;
    shown.allowedActions = allowedActions;
    return shown;
  }
}
