import { isClosed } from '#libs/access/limits.js';
import { callerOrNull } from '#libs/auth/current-principal.js';
import { featureOf } from '#libs/auth/features.js';
import { operationPrefix, type ResourceDefinition } from '../types/definition.js';

/** Whether the caller may read any records of a type, and the tenant has not disabled its area. */
export function isReadable(definition: ResourceDefinition): boolean {
  const feature = featureOf(operationPrefix(definition));
  const isOff = feature !== null && callerOrNull()?.switchedOff.has(feature) === true;
  return !isOff && !isClosed(definition, definition.permissions.read);
}
