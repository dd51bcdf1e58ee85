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

/** The target of an id field. */
export interface Reference {
  /** Schema-qualified table of the target. */
  table: string;
  /** SQL of the allowed targets; by default those outside the trash. */
  where?: string;
  /** The permission on the record that the referenced person gets; only callers who have it may set the reference. */
  opens?: Permission;
}

/** Fields that only some callers may see; omitted from lists, items and events for all others. */
export interface RestrictedFields {
  fields: readonly string[];
  permission: Permission;
}

/** What retention, export and residency need to know of a type. */
export interface DataFacts {
  /** The start of the retention period. */
  retention: string;
  /** Whether an export of the tenant contains them. */
  exportable: boolean;
  /** Whether they move with the tenant to another region. */
  movable: boolean;
  /** The fields with personal data; all others are public within the tenant. */
  privacy: Record<string, 'personal' | 'sensitive'>;
}

/** The declarative part of a record type, read by the kit; it contains no behaviour. */
export interface ResourceDefinition<R extends RecordRow = RecordRow, A extends string = string> extends Subject {
  /** Type key, e.g. `sales.deal`; also the beginning of its event types. */
  type: string;
  /** Its noun in sentences, e.g. `deal`. */
  noun: string;
  /** First part of the path; by default `/api/v1`. */
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
  /** Values of new records that the create body omits; null for fields that are not listed. */
  defaults?: Record<string, unknown>;
  /** Fields that hold the id of another record, or a list of ids: an unknown target gets 400. */
  references?: Record<string, Reference>;
  /** Further fields that hold ids of other records: not sent by callers, or checked by the type's service. */
  named?: Record<string, Reference>;
  restricted?: readonly RestrictedFields[];
  /** Bodies of the actions that have one. */
  inputs: Partial<Record<A, ModelClass>>;
  /** Problems that the type decides itself, beyond those that the kit does. */
  problems?: Partial<Record<'create' | 'update' | A, ProblemCode[]>>;
  /** Additional scopes of operations. */
  besides?: Partial<Record<'list' | 'create' | 'update' | A, Besides[]>>;
  /** Bodies for the document, where the examples of the single fields do not add up to a good one. */
  bodies?: Partial<Record<'create' | 'update' | A, object>>;
  /** Names of the facts that `gateFacts` of the service adds for gate conditions. */
  gateFacts?: readonly string[];
  /** Its creates take no conflicting locks, so those of a tenant may share a flight (ADR 3). */
  createsTogether?: boolean;
  data: DataFacts;
  /** Verb of the event of a new record; `created` if not said. */
  createdEvent?: string;
  /** Its events besides those of the life cycle: a sentence about what happened, by verb. */
  events?: Record<string, string>;
  /** A record as the API shows it, for the documentation of responses and events. */
  example: { id: string; [field: string]: unknown };
}

/** Path of the collection. */
export function pathOf(definition: { base?: string; area: string; collection: string }): string {
  return `${definition.base ?? '/api/v1'}/${definition.area}/${definition.collection}`;
}

/** Path of the example record in the documentation. */
export function examplePathOf(
  definition: Pick<ResourceDefinition, 'base' | 'area' | 'collection' | 'example'>,
): string {
  return `${pathOf(definition)}/${definition.example.id}`;
}

/** First part of operation ids, e.g. `sales.deals`. */
export function operationPrefix(definition: { area: string; collection: string }): string {
  return `${definition.area}.${definition.collection}`.replaceAll('-', '_');
}
