import { Injectable } from '@nestjs/common';
import type { EntityClass } from '#libs/database/data-source.js';
import type { ModelClass } from '#libs/http/field.js';
import type { Lifecycle } from '#libs/kernel/lifecycle.js';
import { type GovernedObject, ResourceRegistry } from '#libs/resource/resource-registry.js';
import { operationPrefix, pathOf, type Reference, type ResourceDefinition } from '#libs/resource/types/definition.js';
import type { ListOptions } from '#libs/resource/lists/list-query.js';
import type { DataFacts } from '#libs/resource/types/definition.js';

/** A type of records or of administered objects. */
export interface KnownType {
  object: string;
  noun: string;
  area: string;
  kind: 'record' | 'object';
  path: string;
  /** Schema-qualified name. */
  table: string;
  entity: EntityClass;
  view: ModelClass;
  create: ModelClass;
  update: ModelClass;
  permissions: ResourceDefinition['permissions'] | null;
  lifecycle: Lifecycle | null;
  stateField: string | null;
  list: ListOptions | null;
  privacy: DataFacts['privacy'];
  restricted: ResourceDefinition['restricted'] & {};
  references: Record<string, Reference>;
  defaults: Record<string, unknown>;
  /** Prefix of its operation ids; null for objects, whose operations are not generated. */
  operations: string | null;
}

/** All types in the registry. */
@Injectable()
export class TypeCatalogue {
  constructor(private readonly registry: ResourceRegistry) {}

  /** By type key. */
  all(): KnownType[] {
    const records = this.registry.everything().map(({ definition, service }) => recordOf(definition, service.table));
    const types = new Set(records.map(({ object }) => object));
    const objects = this.registry.allObjects().map(objectOf);
    return [...records, ...objects.filter(({ object }) => !types.has(object))].sort((a, b) =>
      a.object < b.object ? -1 : 1,
    );
  }

  ofArea(area: string): KnownType[] {
    return this.all().filter((each) => each.area === area);
  }
}

function recordOf(definition: ResourceDefinition, table: string): KnownType {
  const { type, noun, entity, view, create, update, permissions, lifecycle, list } = definition;
  const { stateField = null, data, restricted = [], references = {}, named = {}, defaults = {} } = definition;
  return {
    ...{ object: type, noun, kind: 'record', entity, view, create, update, permissions, lifecycle, list, table },
    ...{ stateField, restricted, defaults },
    area: definition.area,
    path: pathOf(definition),
    privacy: data.privacy,
    references: { ...references, ...named },
    operations: operationPrefix(definition),
  };
}

function objectOf(definition: GovernedObject): KnownType {
  const { type, noun, table, path, entity, view, create, update } = definition;
  return {
    ...{ object: type, noun, kind: 'object', table, path, entity, view, create, update },
    ...{ permissions: null, lifecycle: null, stateField: null, list: null, operations: null },
    area: path.split('/').find((part) => !['', 'api', 'v1'].includes(part))!,
    ...{ privacy: {}, restricted: [], references: {}, defaults: {} },
  };
}
