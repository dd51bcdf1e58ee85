import { Injectable } from '@nestjs/common';
import type { Guard } from '#libs/access/guard.js';
import type { EntityClass } from '#libs/database/data-source.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { permissionNames } from '#libs/auth/permissions.js';
import { fieldsOf, type Kind } from '#libs/http/field.js';
import { inlineSchemaOf } from '#libs/http/schema.js';
import { checkLifecycle } from '#libs/kernel/lifecycle.js';
import { EventCatalogue, type EventType } from '#libs/outbox/event-catalogue.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { examplePathOf, pathOf, type ResourceDefinition } from './types/definition.js';
import type { GovernedDefinition } from './types/governed-type.js';
import type { RecordView } from './types/record.dto.js';
import type { RecordRow } from './types/record.entity.js';
import { withArticle } from './types/standard-actions.js';
import type { Explanation } from './access/record-explanation.js';
import type { MergeFollower } from './records/merge.js';
import type { RecordPage } from './lists/record-page.js';
import type { Page } from './lists/resource.repository.js';

/** Operations on records of a type that other code knows only by its key. */
export interface RecordService {
  /** Schema-qualified name of the table of the records. */
  readonly table: string;
  /** Limits records to those that the caller may see; null for all. */
  visible(): Guard | null;
  /**
   * Limits records to those that the caller may know about, including parts of deleted records. Null for all, the
   * guard `NOTHING` for a caller who may read none.
   */
  disclosed(): Guard | null;
  /** The row with an id that the caller may see. @throws Problem 404. */
  read(id: string): Promise<RecordRow>;
  /** Like {@link read}, but also checks a permission of another type on it. @throws Problem 403, 404. */
  readFor(id: string, permission: string): Promise<RecordRow>;
  /** What the caller may do with a record and why, even if they may not see it; null if the record does not exist. */
  explain(id: string, more?: readonly string[]): Promise<Explanation | null>;
  /**
   * Whether the caller may see these fields of a record and use a permission on it. Includes records in the archive
   * and the trash. True for a record that no longer exists.
   */
  isOpen(id: string, permission: string | null, fields: readonly string[]): Promise<boolean>;
  /** A page of the records that the caller may see, for a validated query. */
  list(query: Record<string, unknown>): Promise<Page<RecordView>>;
  /**
   * The statement that selects the first `limit` records that {@link list} would show on all pages, as `id` and
   * `position` in its order. @throws Problem 400, 403.
   */
  selection(query: Record<string, unknown>, limit: number): Promise<Statement>;
  /**
   * Those of the records with these ids that the caller may see now, whole, as {@link list} shows them, in the order
   * of the ids. Of the query count `include` and `includeDeleted`.
   */
  among(ids: readonly string[], query: Record<string, unknown>): Promise<Required<RecordPage<RecordView>>>;
  /** The record as the API shows it. @throws Problem 404. */
  get(id: string): Promise<RecordView>;
  create(input: Record<string, unknown>): Promise<RecordView>;
  update(id: string, patch: Record<string, unknown>): Promise<RecordView>;
  /** Changes fields as a consequence of another change, regardless of the caller's rights. @throws Problem 404. */
  amend(id: string, change: (row: RecordRow) => Partial<RecordRow>): Promise<RecordView>;
  act(action: string, id: string, input: Record<string, unknown>): Promise<RecordView>;
  /** Takes an action as a consequence of another change. @throws Problem 404, 409 `invalid_transition`. */
  follow(action: string, id: string): Promise<RecordView>;
  /** Overwrites fields of a record; neither its event nor its audit entry contains the old values. */
  erase(transaction: Transaction, id: string, changes: Partial<RecordRow>): Promise<void>;
  /** Takes an approved action. @throws Problem 409 `stale_target` if the record has another version. */
  execute(action: string, id: string, input: Record<string, unknown>, version: number): Promise<RecordView>;
  /** The problem for a database error; any other error unchanged. */
  translate(error: unknown): unknown;
}

/** How an approval can end without its action. */
export type Dismissal = 'reject' | 'cancel' | 'expire' | 'fail';

/** Executes approved actions. */
export type Executor = Pick<RecordService, 'translate'> & {
  /** Like {@link RecordService.execute}, with any result. */
  execute(action: string, id: string, input: Record<string, unknown>, version: number): Promise<unknown>;
  /** Called inside the deciding transaction if an action will not be taken, to end what waits for it. */
  dismissed?(id: string, how: Dismissal, reason: string | null): Promise<void>;
};

/** Changes to objects other than records that a gate can park. */
export interface GatedCommands {
  /** Type key of the changed object, e.g. `core.membership`. */
  type: string;
  /** Null if the gate is declared elsewhere. */
  gate: string | null;
  /** Fields that the gate's conditions can test. */
  fields: readonly string[];
  /** Absent where the objects themselves wait for approval, so that nothing is parked. */
  executor?: Executor;
}

/** A type of object that tenants administer, independent of its row type. */
export type GovernedObject = Omit<GovernedDefinition<never>, 'entity'> & { entity: EntityClass };

/** Event declarations of a governed type. */
type ObjectDeclaration = Pick<
  GovernedDefinition<never>,
  'type' | 'told' | 'events' | 'example' | 'path' | 'hasPath'
> & {
  /** Id of the example object, if its data does not contain one. */
  subject?: { type: string; id: string };
};

/** A type of objects that are about records, such as comments. Whoever may not know the record may not know them. */
export interface PartType {
  /** Type key, as events, audit entries and notifications name it. */
  type: string;
  /** SQL of the records that one object is about, as columns `type` and `id`; no row if the object does not exist. */
  recordsOf: (tenant: string, id: string) => string;
  /**
   * The type decides itself who is concerned, such as approvers, who need not be able to read the record. Only the
   * scopes of the credential must include reading it.
   */
  ofConcerned?: true;
}

/** Objects other than records whose names stand beside their ids in lists that include them. */
export interface LabelledObjects {
  /** Type key, e.g. `core.workspace`. */
  type: string;
  /** Schema-qualified; with columns `id` and `name`. */
  table: string;
  /** Limits the rows `t` to those whose names the caller may know; null for all. */
  known(): Guard | null;
}

/** A record type with its service. */
export interface Resource {
  definition: ResourceDefinition;
  service: RecordService;
}

const STANDARD_ACTIONS = ['archive', 'unarchive', 'delete', 'restore'];

/** All resources of the process. Checks life cycles at startup and declares events. */
@Injectable()
export class ResourceRegistry {
  private readonly resources = new Map<string, Resource>();
  private readonly objects: GovernedObject[] = [];
  private readonly commands = new Map<string, GatedCommands>();
  private readonly partTypes = new Map<string, PartType>();
  private readonly followers: MergeFollower[] = [];
  private readonly labelled = new Map<string, LabelledObjects>();

  constructor(private readonly events: EventCatalogue) {}

  /**
   * @throws Error if the life cycle is invalid or the type is already registered.
   */
  add(definition: ResourceDefinition, handlers: string[], service: RecordService): void {
    const { type, lifecycle } = definition;
    if (this.resources.has(type)) throw new Error(`The type ${type} is declared twice.`);
    this.resources.set(type, { definition, service });
    checkLifecycle(type, lifecycle, {
      permissions: new Set<string>(permissionNames()),
      handlers: new Set([...handlers, ...withoutHandler(definition)]),
    });
    for (const action of STANDARD_ACTIONS)
      if (lifecycle.transitions[action]?.gate) throw new Error(`The action ${action} of ${type} cannot have a gate.`);
    checkGuards(definition);
    this.declareEvents(definition);
  }

  /** Registers commands that a gate can park and that are not actions of a record. */
  addCommands(commands: GatedCommands): void {
    this.commands.set(commands.type, commands);
  }

  /** The executor of approved commands on a type. @throws Error for a type without approvals. */
  executorOf(type: string): Executor {
    const executor = this.findExecutor(type);
    if (!executor) throw new Error(`Nobody takes what is approved about ${type}.`);
    return executor;
  }

  /** Like {@link executorOf}; undefined if this process has none. */
  findExecutor(type: string): Executor | undefined {
    return this.resources.get(type)?.service ?? this.commands.get(type)?.executor;
  }

  /** Declares the events of a type. */
  declareEvents(definition: ResourceDefinition): void {
    const { type, lifecycle, noun, view, example, createdEvent = 'created', events = {} } = definition;
    const data = inlineSchemaOf(view);
    const exampleUrl = examplePathOf(definition);
    const one = withArticle(noun);
    const verbs = new Map([
      [createdEvent, `${one.replace('a', 'A')} was made.`],
      ['updated', `Fields of ${one} changed.`],
      ...Object.entries(events),
    ]);
    for (const { event, happened } of Object.values(lifecycle.transitions))
      if (!verbs.has(event)) verbs.set(event, happened);
    this.declare(type, verbs, { data, example, subjectType: type, exampleUrl });
  }

  /** Registers a type of object that tenants administer, and declares its events. */
  addObject(definition: GovernedObject): void {
    this.objects.push(definition);
    this.declareObject(definition);
    const { type, table, about } = definition;
    if (about) this.addPart(partOf(type, table, about));
  }

  /** Registers a type of objects that are about records. */
  addPart(part: PartType): void {
    this.partTypes.set(part.type, part);
  }

  /** All types of objects that are about records. */
  parts(): PartType[] {
    return [...this.partTypes.values()];
  }

  /** Registers what can name a record of any type, and names the remaining one after a merge. */
  followMerges(follower: MergeFollower): void {
    this.followers.push(follower);
  }

  /** What was registered with {@link followMerges}. */
  mergeFollowers(): readonly MergeFollower[] {
    return this.followers;
  }

  /** Registers objects whose names lists can include. */
  addLabels(objects: LabelledObjects): void {
    this.labelled.set(objects.table, objects);
  }

  /** The objects of a table that were registered with {@link addLabels}. */
  labelledIn(table: string): LabelledObjects | undefined {
    return this.labelled.get(table);
  }

  /** All types of objects that tenants administer. */
  allObjects(): readonly GovernedObject[] {
    return this.objects;
  }

  /** Declares the events of a governed type. */
  declareObject({ type, told, events, example, path, hasPath, subject }: ObjectDeclaration): void {
    const data = inlineSchemaOf(told);
    const known = fieldsOf(told);
    const shown = Object.fromEntries(Object.entries(example).filter(([field]) => known.has(field)));
    const exampleUrl = hasPath ? `${path}/${subject?.id ?? String(example['id'])}` : path;
    this.declare(type, Object.entries(events), {
      data,
      example: shown,
      subjectType: subject?.type ?? type,
      exampleUrl,
      ...(subject ? { exampleSubjectId: subject.id } : {}),
    });
  }

  /** Declares events of one type that differ only in verb and description. */
  private declare(
    type: string,
    verbs: Iterable<[verb: string, description: string]>,
    common: Omit<EventType, 'type' | 'version' | 'description'>,
  ): void {
    for (const [verb, description] of verbs)
      this.events.add({ type: `${type}.${verb}`, version: 1, description, ...common });
  }

  all(): ResourceDefinition[] {
    return [...this.resources.values()].map(({ definition }) => definition);
  }

  /**
   * The gates that actions name, each with the fields that its conditions can test and their kinds. A field has one
   * kind per possible source; undeclared facts have none.
   */
  gates(): Map<string, Map<string, Kind[]>> {
    const found = new Map<string, Map<string, Kind[]>>();
    const add = (gate: string, fields: Iterable<readonly [string, Kind[]]>) => {
      const known = found.get(gate) ?? new Map<string, Kind[]>();
      for (const [field, kinds] of fields) known.set(field, [...(known.get(field) ?? []), ...kinds]);
      found.set(gate, known);
    };
    for (const { view, inputs, gateFacts = [], lifecycle } of this.all())
      for (const [action, { gate }] of Object.entries(lifecycle.transitions)) {
        if (gate === undefined) continue;
        const input = inputs[action];
        for (const model of [view, ...(input ? [input] : [])])
          add(
            gate.key,
            [...fieldsOf(model)].map(([field, { kind }]) => [field, [kind]] as const),
          );
        add(
          gate.key,
          gateFacts.map((fact) => [fact, []] as const),
        );
      }
    for (const { gate, fields } of this.commands.values())
      if (gate !== null)
        add(
          gate,
          fields.map((field) => [field, []] as const),
        );
    return found;
  }

  /** All gates by key, each with the actions that it applies to. */
  gateUses(): Map<string, { object: string; action: string | null }[]> {
    const actions = this.all().flatMap(({ type: object, lifecycle }) =>
      Object.entries(lifecycle.transitions).flatMap(([action, { gate }]) =>
        gate ? [{ key: gate.key, object, action }] : [],
      ),
    );
    const commands = [...this.commands.values()].flatMap(({ type: object, gate }) =>
      gate === null ? [] : [{ key: gate, object, action: null }],
    );
    const uses = Map.groupBy([...actions, ...commands], ({ key }) => key);
    return new Map([...uses].map(([key, found]) => [key, found.map(({ object, action }) => ({ object, action }))]));
  }

  /** The resource of a type key such as `sales.deal`; undefined if unknown. */
  ofType(type: string): Resource | undefined {
    return this.resources.get(type);
  }

  /**
   * Limits the records of a table to those that the caller may see. Null for the platform, which sees all, and for
   * tables without records.
   */
  visibleIn(table: string): Guard | null {
    if (currentScope().actor.type === 'automation') return null;
    return this.ofTable(table)?.service.visible() ?? null;
  }

  /** The resource whose records are in a table; undefined if there is none. */
  ofTable(table: string): Resource | undefined {
    return this.everything().find(({ service }) => service.table === table);
  }

  /** All types with their services. */
  everything(): Resource[] {
    return [...this.resources.values()];
  }

  /** The resource at a path such as `/api/v1/sales/deals`; undefined if there is none. */
  atPath(path: string): Resource | undefined {
    return [...this.resources.values()].find(({ definition }) => pathOf(definition) === path);
  }
}

/**
 * Objects that are rows of a table.
 * @param about SQL of the type and id of the record that the row `t` is about
 */
export function partOf(type: string, table: string, about: { type: string; id: string }): PartType {
  const recordsOf = (tenant: string, id: string) =>
    `select (${about.type})::text as type, (${about.id})::uuid as id from ${table} t where t.tenant_id = ${tenant} and t.id = ${id}`;
  return { type, recordsOf };
}

/** @throws Error if a gate guards a field that the view does not contain. */
function checkGuards({ type, view, lifecycle }: ResourceDefinition): void {
  const fields = fieldsOf(view);
  for (const { gate } of Object.values(lifecycle.transitions))
    for (const field of gate?.guards ?? [])
      if (!fields.has(field)) throw new Error(`The gate ${gate!.key} of ${type} guards the unknown field ${field}.`);
}

/** Actions that need no handler: the standard ones and, for types with a state field, plain state changes. */
function withoutHandler({ lifecycle, stateField }: ResourceDefinition): string[] {
  return Object.keys(lifecycle.transitions).filter(
    (action) => STANDARD_ACTIONS.includes(action) || stateField !== undefined,
  );
}
