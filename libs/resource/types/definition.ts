import type { Subject } from '#libs/access/pieces.js';
import type { Permission } from '#libs/auth/permissions.js';
import type { Besides } from '#libs/http/route.js';
import type { EntityClass } from '#libs/database/data-source.js';
import type { ModelClass } from '#libs/http/field.js';
import type { Lifecycle } from '#libs/kernel/lifecycle.js';
import type { ProblemCode } from '#libs/kernel/problem.js';
import type { ListOptions } from '../lists/list-query.js';
import type { RecordRow } from './record.entity.js';
import type { RecordView } from './record.dto.js';

/** What the id in a field names. */
export interface Reference {
  /** Schema-qualified table of the target. */
  table: string;
  /** SQL of the targets that may be named; those outside the trash if not said. */
  where?: string;
  /** What whoever is named gets to do with the record: only who does so already names somebody. */
  opens?: Permission;
}

/** Fields that only some may see: absent from lists, items and events for everyone else. */
export interface RestrictedFields {
  fields: readonly string[];
  permission: Permission;
}

/** What retention, export and residency need to know of a type. */
export interface DataFacts {
  /** The instant from which the time counts for which records are kept. */
  retention: string;
  /** Whether an export of the tenant has them. */
  exportable: boolean;
  /** Whether they move with the tenant to another region. */
  movable: boolean;
  /** The fields that say something about a person; all others are public within the tenant. */
  privacy: Record<string, 'personal' | 'sensitive'>;
}

/** Everything about a record type that is data. The kit reads it; nothing in it is behaviour. */
export interface ResourceDefinition<R extends RecordRow = RecordRow, A extends string = string> extends Subject {
  /** Type key, e.g. `sales.deal`; also the beginning of its event types. */
  type: string;
  /** What one is called in sentences, e.g. `deal`. */
  noun: string;
  /** First part of the path: `/api/v1` if not said. */
  base?: '/api';
  area: string;
  collection: string;
  /** First part of references, e.g. `DEAL`. */
  prefix: string;
  entity: EntityClass<R>;
  view: ModelClass<RecordView>;
  create: ModelClass;
  update: ModelClass;
  list: ListOptions;
  permissions: { read: Permission; write: Permission };
  lifecycle: Lifecycle<string, A>;
  /** Column and field that hold the state, for types with more than one. A patch of it is shorthand for the action. */
  stateField?: string;
  /** Values of new records where the create body says nothing; null for fields that are not named. */
  defaults?: Record<string, unknown>;
  /** Fields that hold the id of another record, or a list of ids: a target that does not exist is a 400. */
  references?: Record<string, Reference>;
  /** Further fields that hold ids of other records: nobody sends them, or the type's own service checks them. */
  named?: Record<string, Reference>;
  restricted?: readonly RestrictedFields[];
  /** Bodies of the actions that take one. */
  inputs: Partial<Record<A, ModelClass>>;
  /** Problems that the type decides itself, beyond those that the kit does. */
  problems?: Partial<Record<'create' | 'update' | A, ProblemCode[]>>;
  /** Scopes that operations ask for besides their own. */
  besides?: Partial<Record<'list' | 'create' | 'update' | A, Besides[]>>;
  /** Bodies for the document, where the examples of the single fields do not add up to a good one. */
  bodies?: Partial<Record<'create' | 'update' | A, object>>;
  /** Names of what `gateFacts` of the service adds to the record and the input for the conditions of gates. */
  gateFacts?: readonly string[];
  /** Its creates lock nothing that two of them could want, so that those of a tenant may share a flight (ADR 3). */
  createsTogether?: boolean;
  /** Absent for a type that is not declared by {@link recordType} yet. */
  data?: DataFacts;
  /** Verb of the event of a new record; `created` if not said. */
  createdEvent?: string;
  /** Its events besides those of the life cycle: what has happened, as a sentence, by verb. */
  events?: Record<string, string>;
  /** A record as the API shows it, for the documentation of answers and events. */
  example: { id: string; [field: string]: unknown };
}

/** Path of the collection. */
export function pathOf(definition: { base?: string; area: string; collection: string }): string {
  return `${definition.base ?? '/api/v1'}/${definition.area}/${definition.collection}`;
}

/** Path of the record that stands in the documentation. */
export function examplePathOf(
  definition: Pick<ResourceDefinition, 'base' | 'area' | 'collection' | 'example'>,
): string {
  return `${pathOf(definition)}/${definition.example.id}`;
}

/** First part of operation ids, e.g. `sales.deals`. */
export function operationPrefix(definition: { area: string; collection: string }): string {
  return `${definition.area}.${definition.collection}`.replaceAll('-', '_');
}
