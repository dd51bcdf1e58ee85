import type { Permission } from '#libs/auth/permissions.js';
import type { EntityClass } from '#libs/database/data-source.js';
import type { ModelClass } from '#libs/http/field.js';
import type { Lifecycle } from '#libs/kernel/lifecycle.js';
import type { ProblemCode } from '#libs/kernel/problem.js';
import type { ListOptions } from './list-query.js';
import type { RecordRow } from './record.entity.js';
import type { RecordView } from './record.dto.js';

/** Everything about a record type that is data. The kit reads it; nothing in it is behaviour. */
export interface ResourceDefinition<R extends RecordRow = RecordRow, A extends string = string> {
  /** Type key, e.g. `sales.deal`; also the beginning of its event types. */
  type: string;
  /** What one is called in sentences, e.g. `deal`. */
  noun: string;
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
  /** Bodies of the actions that take one. */
  inputs: Partial<Record<A, ModelClass>>;
  /** Problems that the type decides itself, beyond those that the kit does. */
  problems?: Partial<Record<'create' | 'update' | A, ProblemCode[]>>;
  /** Bodies for the document, where the examples of the single fields do not add up to a good one. */
  bodies?: Partial<Record<'create' | 'update' | A, object>>;
  /** A record as the API shows it, for the documentation of answers and events. */
  example: Record<string, unknown>;
}

/** Path of the collection. */
export function pathOf(definition: { area: string; collection: string }): string {
  return `/api/v1/${definition.area}/${definition.collection}`;
}

/** First part of operation ids, e.g. `sales.deals`. */
export function operationPrefix(definition: { area: string; collection: string }): string {
  return `${definition.area}.${definition.collection}`.replaceAll('-', '_');
}
