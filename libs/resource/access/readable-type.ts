import { requireFeatureForSure, requireForSure } from '#libs/auth/current-principal.js';
import { featureOf } from '#libs/auth/features.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Resource, ResourceRegistry } from '../resource-registry.js';
import { operationPrefix } from '../types/definition.js';

/**
 * The type of record that a member of the body names.
 * @throws Problem 400 at the pointer if there is none, 403 if the caller cannot read its list.
 */
export async function readableType(registry: ResourceRegistry, type: string, pointer: string): Promise<Resource> {
  const resource = registry.ofType(type);
  if (!resource)
    throw Problem.validation([{ pointer, code: 'unknown_record_type', detail: 'There is no such type of record.' }]);
  const feature = featureOf(operationPrefix(resource.definition));
  if (feature) await requireFeatureForSure(feature);
  await requireForSure(resource.definition.permissions.read, { object: type });
  return resource;
}
