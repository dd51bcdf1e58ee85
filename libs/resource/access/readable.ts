import { isClosed } from '#libs/access/limits.js';
import { callerOrNull } from '#libs/auth/current-principal.js';
import { featureOf } from '#libs/auth/features.js';
import type { Resource } from '../resource-registry.js';
import { operationPrefix, type ResourceDefinition } from '../types/definition.js';

/** Whether the caller may read any records of a type, and the tenant has not disabled its area. */
export function isReadable(definition: ResourceDefinition): boolean {
  const feature = featureOf(operationPrefix(definition));
  const isOff = feature !== null && callerOrNull()?.switchedOff.has(feature) === true;
  return !isOff && !isClosed(definition, definition.permissions.read);
}

/**
 * The end of a query, from `from`, for those of some records that the caller may see and that are not in the trash; null
 * if they may read none of the type. The first parameter of the statement is the tenant.
 */
export function amongReadable(
  { definition, service }: Resource,
  ids: readonly string[],
  add: (value: unknown) => string,
): string | null {
  if (!isReadable(definition)) return null;
  const visible = service.visible();
  return `from ${service.table} t
    where t.tenant_id = $1 and t.id = any(${add(ids)}::uuid[]) and t.deleted_at is null
      ${visible ? `and ${visible(add)}` : ''}`;
}
