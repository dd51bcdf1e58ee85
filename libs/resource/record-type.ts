import { Controller, Inject, type Type } from '@nestjs/common';
import { Entity } from 'typeorm';
import type { Permission } from '#libs/auth/permissions.js';
import type { EntityClass } from '#libs/database/data-source.js';
import { fieldsOf, type FieldSpec, type ModelClass } from '#libs/http/field.js';
import type { Lifecycle } from '#libs/kernel/lifecycle.js';
import type { ProblemCode } from '#libs/kernel/problem.js';
import {
  type AttributeSpec,
  type AttributeOptions,
  attributesOf,
  exampleOf,
  filterFor,
  inputOf,
  outputOf,
} from './attribute.js';
import { pathOf, type ResourceDefinition, type RestrictedFields } from './definition.js';
import { recordFilters } from './list-query.js';
import { mergePatchOf, model, RecordInput, RecordView, updateOf } from './record.dto.js';
import { EMPTY_ENVELOPE, type RecordRow } from './record.entity.js';
import { type RecordVerbs, ResourceController } from './resource.controller.js';

/** What a record type is besides its fields. */
export interface RecordTypeFacts<R extends RecordRow, A extends string> extends Pick<
  ResourceDefinition<R, A>,
  'noun' | 'area' | 'collection' | 'prefix' | 'permissions' | 'lifecycle' | 'createsTogether' | 'reach' | 'gateFacts'
> {
  /** Name of one in the example. */
  example: string;
  /** Bodies of the actions that take one. */
  inputs?: ResourceDefinition<R, A>['inputs'];
  /** Problems that the type decides itself; `duplicate` follows from its unique fields. */
  problems?: Partial<Record<'create' | 'update' | A, ProblemCode[]>>;
  /** Bodies for the document, where the examples of the single fields do not add up to a good one. */
  bodies?: ResourceDefinition<R, A>['bodies'];
  /** Newest first if not said. */
  defaultSort?: string;
}

/** A record as the API shows it. */
export type Shown<R extends RecordRow> = Omit<R, 'tenantId'> & RecordView;

const EXAMPLE_ID = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20';
const EXAMPLE_AT = '2026-11-21T09:15:02.114Z';
const EXAMPLE_ACTOR = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };

/** Column of the state of types with more than one. */
const STATE = 'status';

/**
 * Everything that the kit reads about a record type, from the fields of its class and these facts: the table
 * `data.<area>_<collection>`, bodies and answers, filters and sorts, references, problems, and the example.
 */
export function recordType<R extends RecordRow, A extends string>(
  entity: EntityClass<R>,
  facts: RecordTypeFacts<R, A>,
): ResourceDefinition<R, A> {
  const { example, inputs = {}, problems = {}, bodies = {}, defaultSort = '-createdAt', ...rest } = facts;
  const { noun, area, collection, prefix } = facts;
  Entity({ schema: 'data', name: `${area}_${collection}`.replaceAll('-', '_') })(entity);
  const attributes = new Fields(attributesOf(entity));
  const type = `${area}.${noun.replaceAll(' ', '_')}`;
  const create = model(`Create${entity.name}`, { ...shared(RecordInput), ...attributes.of('isSet').map(inputOf) });
  const { transitions } = facts.lifecycle as Lifecycle;
  const shown = attributes.of('isShown');
  return {
    ...rest,
    type,
    entity,
    view: model(`${entity.name}View`, { ...shared(RecordView), ...shown.map(outputOf) }) as ModelClass<RecordView>,
    create,
    update: updateModel(entity.name, create, attributes, facts),
    inputs,
    ...(attributes.has(STATE) ? { stateField: STATE } : {}),
    defaults: attributes.with('default').map(({ default: usual }) => usual),
    references: attributes.with('names').map(({ names }) => names!),
    restricted: restrictedOf(attributes),
    problems: withDuplicates(problems, attributes.with('unique').names.length > 0),
    bodies: { ...bodiesOf(example, attributes.of('isSet')), ...bodies } as ResourceDefinition<R, A>['bodies'],
    list: {
      filters: { ...recordFilters(type), ...attributes.with('filter').map(filterFor) },
      sorts: ['createdAt', 'updatedAt', 'name', ...attributes.with('sort').names],
      defaultSort,
      searchable: true,
      ...(transitions['delete'] ? { trashPermission: transitions['delete'].permission as Permission } : {}),
    },
    example: {
      id: EXAMPLE_ID,
      object: type,
      reference: `${prefix}-000001`,
      name: example,
      ...EMPTY_ENVELOPE,
      version: 1,
      createdAt: EXAMPLE_AT,
      updatedAt: EXAMPLE_AT,
      createdBy: EXAMPLE_ACTOR,
      updatedBy: EXAMPLE_ACTOR,
      archivedAt: null,
      deletedAt: null,
      allowedActions: null,
      ...shown.map(exampleOf),
    },
  };
}

/** The controller of a type that has no routes of its own. */
export function controllerOf(definition: { area: string; collection: string }, service: Type<{ records: RecordVerbs }>): Type {
  @Controller(pathOf(definition))
  class RecordController extends ResourceController(definition as ResourceDefinition) {
    constructor(@Inject(service) { records }: { records: RecordVerbs }) {
      super(records);
    }
  }
  return RecordController;
}

/** Some fields of a type, by name. */
class Fields {
  constructor(private readonly all: ReadonlyMap<string, AttributeSpec>) {}

  get names(): string[] {
    return [...this.all.keys()];
  }

  has(name: string): boolean {
    return this.all.has(name);
  }

  of(quality: 'isStored' | 'isShown' | 'isSet'): Fields {
    return this.filter((attribute) => attribute[quality]);
  }

  with(option: keyof AttributeOptions): Fields {
    return this.filter((attribute) => attribute[option] !== undefined);
  }

  map<T>(make: (attribute: AttributeSpec) => T): Record<string, T> {
    return Object.fromEntries([...this.all].map(([name, attribute]) => [name, make(attribute)]));
  }

  private filter(wanted: (attribute: AttributeSpec) => boolean): Fields {
    return new Fields(new Map([...this.all].filter(([, attribute]) => wanted(attribute))));
  }
}

function shared(base: ModelClass): Record<string, FieldSpec> {
  return Object.fromEntries(fieldsOf(base));
}

function updateModel(
  name: string,
  create: ModelClass,
  attributes: Fields,
  { lifecycle, inputs = {} }: { lifecycle: Lifecycle; inputs?: Partial<Record<string, ModelClass>> },
): ModelClass {
  if (!attributes.has(STATE)) return mergePatchOf(`Update${name}`, create);
  return updateOf(`Update${name}`, create, { field: STATE, lifecycle, inputs }, attributes.with('once').names);
}

function restrictedOf(attributes: Fields): RestrictedFields[] {
  const fields = attributes.with('restricted').map(({ restricted }) => restricted!);
  return [...new Set(Object.values(fields))].map((permission) => ({
    permission,
    fields: Object.keys(fields).filter((name) => fields[name] === permission),
  }));
}

/** A good body of a new record says everything that has an example; a good patch one thing. */
function bodiesOf(name: string, set: Fields): { create: object; update: object } {
  const told = set.with('example').map(exampleOf);
  const [first] = Object.entries(told);
  return { create: { name, ...told }, update: first ? { [first[0]]: first[1] } : { name } };
}

function withDuplicates(
  problems: Partial<Record<string, ProblemCode[]>>,
  hasUnique: boolean,
): Partial<Record<string, ProblemCode[]>> {
  const own = { ...problems };
  if (hasUnique) for (const name of ['create', 'update', 'restore']) own[name] = ['duplicate', ...(own[name] ?? [])];
  return own;
}
