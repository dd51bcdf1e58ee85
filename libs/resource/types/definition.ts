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
  /** SQL condition for allowed targets; by default those outside the trash. */
  where?: string;
  /** The permission on the record that the referenced person gets. Only callers who have it may set the reference. */
  opens?: Permission;
}

/** Fields that only some callers may see. Lists, items and events omit them for all others. */
export interface RestrictedFields {
  fields: readonly string[];
  permission: Permission;
}

/** A column that can start a retention period, or an SQL expression over the row `t`. */
export type RetentionBasis = string | { name: string; sql: string };

/** What retention, export and residency need to know about a type. */
export interface DataFacts {
  /** The start of the retention period: the first of these values that is not empty. */
  retention: readonly RetentionBasis[];
  /** Days for which records must be kept from that start; 0 if there is no minimum. */
  retainAtLeast: number;
  /**
   * SQL conditions over the row `t` under which a policy cannot dispose of the record yet, by disposition; `:now` is the
   * time of the run. Those of references and of the life cycle need no mention.
   */
  keptWhile: { delete?: string; anonymize?: string; archive?: string };
  /** Whether exports of data contain its records. */
  exportable: boolean;
  /** The id of the record that it is a part of, and is deleted with; null for none. */
  partOf: string | null;
  /** The fields with personal data. All others are visible throughout the tenant. */
  privacy: Record<string, 'personal' | 'sensitive'>;
}

/** The declarative part of a record type, which the kit reads. Contains no behaviour. */
export interface ResourceDefinition<R extends RecordRow = RecordRow, A extends string = string> extends Subject {
  /** Type key, e.g. `sales.deal`; also the prefix of its event types. */
  type: string;
  /** Noun for sentences, e.g. `deal`. */
  noun: string;
  /** Prefix of the path; `/api/v1` by default. */
  base?: '/api';
  area: string;
  collection: string;
  /** Prefix of references, e.g. `DEAL`. */
  prefix: string;
  entity: EntityClass<R>;
  view: ModelClass<RecordView>;
  create: ModelClass;
  update: ModelClass;
  /** Members of an edit that say how it is done, and are no fields. */
  directions?: readonly string[];
  list: ListOptions;
  permissions: { read: Permission; write: Permission };
  lifecycle: Lifecycle<string, A>;
  /** Column and field of the state, for types with more than one state. A patch of it is shorthand for the action. */
  stateField?: string;
  /** Column of the stage within a state, for types with stages. */
  stageField?: string;
  /** Verbs of the event of an edit that changes one of these fields; `updated` by default. */
  changeEvents?: Record<string, string>;
  /** Values for fields that the create body omits; null for fields that are not listed. */
  defaults?: Record<string, unknown>;
  /** Fields that contain the id of another record, or a list of ids. An unknown target gets 400. */
  references?: Record<string, Reference>;
  /** Further fields with ids of other records: callers do not send them, or the type's service checks them. */
  named?: Record<string, Reference>;
  /** Further fields with ids whose names lists can include, where nothing else follows from what they name. */
  labels?: Record<string, Reference>;
  /** Fields with the members to whom a record is assigned, besides its owner. */
  assignees?: readonly string[];
  restricted?: readonly RestrictedFields[];
  /** Bodies of the actions, for those that have one. */
  inputs: Partial<Record<A, ModelClass>>;
  /** Problems that the type decides itself, in addition to those of the kit. */
  problems?: Partial<Record<'create' | 'update' | A, ProblemCode[]>>;
  /** Additional scopes of operations. */
  besides?: Partial<Record<'list' | 'create' | 'update' | A, Besides[]>>;
  /** Bodies for the document, where the examples of the fields do not form a good one. */
  bodies?: Partial<Record<'create' | 'update' | A, object>>;
  /** Names of the facts that the service's `gating` adds for gate conditions. */
  gateFacts?: readonly string[];
  /** Creating records takes no conflicting locks, so creates of one tenant may share a flight (ADR 3). */
  createsTogether?: boolean;
  data: DataFacts;
  /** Verb of the event of a new record; `created` by default. */
  createdEvent?: string;
  /** Events other than those of the life cycle: a sentence about what happened, by verb. */
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

/** Prefix of operation ids, e.g. `sales.deals`. */
export function operationPrefix(definition: { area: string; collection: string }): string {
  return `${definition.area}.${definition.collection}`.replaceAll('-', '_');
}
