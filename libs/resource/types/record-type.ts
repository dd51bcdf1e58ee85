import { Entity } from 'typeorm';
import type { Permission } from '#libs/auth/permissions.js';
import type { EntityClass } from '#libs/database/data-source.js';
import { fieldsOf, type FieldSpec, id, type ModelClass } from '#libs/http/field.js';
import type { Lifecycle } from '#libs/kernel/lifecycle.js';
import type { ProblemCode } from '#libs/kernel/problem.js';
import { attributesOf, exampleOf, Fields, filterFor, inputOf, outputOf } from './attribute.js';
import {
  type DataFacts,
  type Reference,
  type ResourceDefinition,
  type RestrictedFields,
  type RetentionBasis,
} from './definition.js';
import { type Filter, filter, plainFilters, recordFilters } from '../lists/list-query.js';
import { mergePatchOf, model, RecordInput, RecordView, updateOf } from './record.dto.js';
import { EMPTY_ENVELOPE, type RecordRow } from './record.entity.js';

/** Facts about a record type, besides its fields. */
export interface RecordTypeFacts<R extends RecordRow, A extends string> extends Pick<
  ResourceDefinition<R, A>,
  | 'noun'
  | 'base'
  | 'area'
  | 'collection'
  | 'prefix'
  | 'permissions'
  | 'lifecycle'
  | 'reach'
  | 'named'
  | 'labels'
  | 'besides'
  | 'gateFacts'
  | 'createsTogether'
  | 'createdEvent'
  | 'events'
  | 'changeEvents'
> {
  /** Type key; derived from area and noun by default. */
  type?: string;
  /** Options of its name. */
  name: NameFacts;
  /** False if callers cannot set the common fields of records and lists cannot filter by them. */
  hasEnvelope?: false;
  /** The state field, `status` by default; null if the kit must not treat a patch of it as a shorthand. */
  stateField?: (keyof R & string) | null;
  stageField?: keyof R & string;
  /** Bodies of the actions, for those that have one. */
  inputs?: ResourceDefinition<R, A>['inputs'];
  /** The fields of an action that a patch of the state accepts, if not all. */
  patchInputs?: ResourceDefinition<R, A>['inputs'];
  /** Problems that the type decides itself. `duplicate` follows from its unique fields. */
  problems?: Partial<Record<'create' | 'update' | A, ProblemCode[]>>;
  /** Members of a patch that are shorthands, besides the state and the inputs of its actions. */
  shorthand?: Record<string, FieldSpec>;
  /** Members of an edit that say how it is done, and are no fields. */
  directions?: Record<string, FieldSpec>;
  /** List filters that do not belong to one field of the class. */
  filters?: Record<string, Filter>;
  /** Scope for lists that include the trash. Defaults to the scope for deletion if records can be restored. */
  trashPermission?: Permission;
  /** The start of the retention period, see {@link DataFacts.retention}; the last change by default. */
  retention?: readonly ((keyof R & string) | Exclude<RetentionBasis, string>)[];
  /** Days for which records must be kept from that start. */
  retainAtLeast?: number;
  /** See {@link DataFacts.keptWhile}. */
  keptWhile?: DataFacts['keptWhile'];
  /** False if exports of data do not contain its records. */
  exportable?: boolean;
  /** The id of the record that it is a part of, and is deleted with. */
  partOf?: keyof R & string;
  /** Bodies for the document, where the examples of the fields do not form a good one. */
  bodies?: ResourceDefinition<R, A>['bodies'];
  /** Newest first by default. */
  defaultSort?: string;
}

/** Options of the name that every record has. */
export interface NameFacts {
  example: string;
  /** Tells callers what to send; a label by default. */
  about?: string;
  /** The name if the body omits it. */
  default?: string;
  /** The service generates the name if the body omits it. */
  optional?: true;
  /** Set if it is the name of a person. */
  privacy?: 'personal';
}

/** A record as the API shows it. */
export type Shown<R extends RecordRow> = Omit<R, 'tenantId'> & RecordView;

const EXAMPLE_ID = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20';
const EXAMPLE_AT = '2026-11-21T09:15:02.114Z';
const EXAMPLE_ACTOR = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };

/** The default state field of types with more than one state. */
const STATE = 'status';

/**
 * Builds the complete declaration of a record type from the fields of its class and these facts: the table
 * `data.<area>_<collection>`, bodies and responses, filters and sorts, references, problems, and the example.
 */
export function recordType<R extends RecordRow, A extends string>(
  entity: EntityClass<R>,
  facts: RecordTypeFacts<R, A>,
): ResourceDefinition<R, A> {
  const { name, problems = {}, bodies = {}, inputs = {}, patchInputs = {}, filters = {}, ...rest } = facts;
  const { shorthand = {}, directions = {}, defaultSort = '-createdAt', ...others } = rest;
  const {
    retention = ['updatedAt'],
    retainAtLeast = 0,
    keptWhile = {},
    exportable = true,

    partOf = null,
    ...kept
  } = others;
  const { stateField: named, ...more } = kept;
  const { noun, area, collection, lifecycle } = facts;
  const { trashPermission = trashScopeOf(lifecycle), hasEnvelope = true, ...own } = more;
  Entity({ schema: 'data', name: `${area}_${collection}`.replaceAll('-', '_') })(entity);
  const fields = new Fields(attributesOf(entity));
  const [set, shown] = [fields.of('isSet'), fields.of('isShown')];
  const type = own.type ?? `${area}.${noun.replaceAll(' ', '_')}`;
  const create = model(`Create${entity.name}`, { ...(hasEnvelope ? inputFields(name) : {}), ...set.map(inputOf) });
  const stateField = named === undefined && fields.has(STATE) ? STATE : (named ?? undefined);
  const states =
    stateField === undefined ? null : { field: stateField, lifecycle, inputs: { ...inputs, ...patchInputs } };
  const said = fields.in([create, ...Object.values<ModelClass | undefined>(inputs)]);
  return {
    ...own,
    type,
    entity,
    view: model(`${entity.name}View`, { ...fieldsAll(RecordView), ...shown.map(outputOf) }) as ModelClass<RecordView>,
    create,
    update: patchModel(entity.name, create, {
      states,
      once: fields.with('once').names,
      more: { ...shorthand, ...directions },
    }),
    directions: Object.keys(directions),
    inputs,
    ...(stateField === undefined ? {} : { stateField }),
    defaults: { ...(name.default === undefined ? {} : { name: name.default }), ...defaultsOf(fields) },
    references: referencesOf(said),
    named: { ...referencesOf(fields.besides(said)), ...facts.named },
    assignees: fields.with('assigns').names,
    restricted: restrictedOf(fields),
    problems: withDerived(problems, { isUnique: fields.with('unique').names.length > 0, hasStates: states !== null }),
    bodies: { ...bodiesOf(name.example, set), ...bodies } as ResourceDefinition<R, A>['bodies'],
    list: {
      filters: {
        ...(hasEnvelope ? recordFilters(type) : plainFilters()),
        ...(own.reach?.workspace === undefined
          ? {}
          : { inWorkspace: { ...filter.exact(id()), sql: own.reach.workspace } }),
        ...fields.with('filter').map(filterFor),
        ...filters,
      },
      sorts: ['createdAt', 'updatedAt', 'name', ...fields.with('sort').names],
      defaultSort,
      searchable: true,
      ...(trashPermission === undefined ? {} : { trashPermission }),
    },
    data: {
      retention,
      retainAtLeast,
      keptWhile,
      exportable,
      partOf,
      privacy: privacyOf(name, fields),
    },
    example: { ...exampleEnvelope(type, facts), ...shown.map(exampleOf) },
  };
}

function exampleEnvelope(
  object: string,
  { prefix, name }: { prefix: string; name: NameFacts },
): { id: string } & Record<string, unknown> {
  return {
    id: EXAMPLE_ID,
    object,
    reference: `${prefix}-000001`,
    name: name.example,
    ...EMPTY_ENVELOPE,
    version: 1,
    createdAt: EXAMPLE_AT,
    updatedAt: EXAMPLE_AT,
    createdBy: EXAMPLE_ACTOR,
    updatedBy: EXAMPLE_ACTOR,
    archivedAt: null,
    deletedAt: null,
    allowedActions: null,
  };
}

function trashScopeOf({ transitions }: Lifecycle): Permission | undefined {
  const { delete: removal, restore } = transitions;
  return removal && restore ? (removal.permission as Permission) : undefined;
}

/** The fields that every create body has. */
function inputFields({ about, optional, default: usual }: NameFacts): Record<string, FieldSpec> {
  const fields = fieldsAll(RecordInput);
  const { description, ...spec } = fields['name']!;
  const isOptional = optional === true || usual !== undefined;
  return { ...fields, name: { ...spec, description: about ?? description, ...(isOptional ? { optional: true } : {}) } };
}

function fieldsAll(base: ModelClass): Record<string, FieldSpec> {
  return Object.fromEntries(fieldsOf(base));
}

/** A merge patch of the create model. For a type with states it includes the shorthands for actions. */
function patchModel(
  name: string,
  create: ModelClass,
  facts: {
    states: { field: string; lifecycle: Lifecycle; inputs: Partial<Record<string, ModelClass>> } | null;
    once: readonly string[];
    more: Record<string, FieldSpec>;
  },
): ModelClass {
  const { states, once, more } = facts;
  const lasting = model(name, Object.fromEntries([...fieldsOf(create)].filter(([field]) => !once.includes(field))));
  const patch = states ? updateOf(`Update${name}`, lasting, states) : mergePatchOf(`Update${name}`, lasting);
  return Object.keys(more).length > 0 ? mergePatchOf(`Update${name}`, patch, more) : patch;
}

function defaultsOf(fields: Fields): Record<string, unknown> {
  return fields.with('default').map(({ default: usual }) => usual);
}

function referencesOf(fields: Fields): Record<string, Reference> {
  return fields.with('names').map(({ names }) => names!);
}

function privacyOf({ privacy: ofName }: NameFacts, fields: Fields): DataFacts['privacy'] {
  return { ...(ofName ? { name: ofName } : {}), ...fields.with('privacy').map(({ privacy }) => privacy!) };
}

function restrictedOf(fields: Fields): RestrictedFields[] {
  const permissions = fields.with('restricted').map(({ restricted }) => restricted!);
  return [...new Set(Object.values(permissions))].map((permission) => ({
    permission,
    fields: Object.keys(permissions).filter((name) => permissions[name] === permission),
  }));
}

/** The example create body contains every field with an example; the example patch contains one. */
function bodiesOf(name: string, set: Fields): { create: object; update: object } {
  const told = set.with('example').map(exampleOf);
  const [first] = Object.entries(told);
  return { create: { name, ...told }, update: first ? { [first[0]]: first[1] } : { name } };
}

/** The problems that follow from the declaration, before the type's own. */
function withDerived(
  own: Partial<Record<string, ProblemCode[]>>,
  { isUnique, hasStates }: { isUnique: boolean; hasStates: boolean },
): Partial<Record<string, ProblemCode[]>> {
  const duplicate: ProblemCode[] = isUnique ? ['duplicate'] : [];
  const impossible: ProblemCode[] = hasStates ? ['invalid_transition'] : [];
  return {
    ...own,
    create: [...duplicate, ...(own['create'] ?? [])],
    update: [...duplicate, ...impossible, ...(own['update'] ?? [])],
    restore: [...duplicate, ...(own['restore'] ?? [])],
  };
}
