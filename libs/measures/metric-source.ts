import type { EntityClass } from '#libs/database/data-source.js';
import { isReadable } from '#libs/resource/access/readable.js';
import type { ListOptions } from '#libs/resource/lists/list-query.js';
import type { Guard } from '#libs/resource/lists/table.js';
import type { Resource } from '#libs/resource/resource-registry.js';
import { pathOf } from '#libs/resource/types/definition.js';

/** A list whose items metrics count. */
export interface MetricSource {
  /** Key by which metrics refer to it, such as `sales.deal`. */
  key: string;
  /** Path of the list. */
  path: string;
  list: ListOptions;
  entity: EntityClass;
  /** The list's filter by workspace; null if its items belong to none. */
  workspaceFilter: string | null;
  /** Whether the caller may read the list at all. */
  isReadable(): boolean;
  /** Limits the items to those that the caller may see; null for all. */
  visible(): Guard | null;
}

/** The records of a type as a source of metrics. */
export function sourceOf({ definition, service }: Resource): MetricSource {
  const { type, list, entity } = definition;
  return {
    key: type,
    path: pathOf(definition),
    list,
    entity: entity,
    workspaceFilter: ['inWorkspace', 'workspaceId'].find((each) => each in list.filters) ?? null,
    isReadable: () => isReadable(definition),
    visible: () => service.visible(),
  };
}
