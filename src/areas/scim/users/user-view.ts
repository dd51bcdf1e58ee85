import type { Resource } from '#libs/scim-language/resource.js';
import { project, type Projection } from '#libs/scim-language/projection.js';
import { USERS } from '#libs/scim-language/resource-schema.js';
import { URN } from '#libs/scim-language/urn.js';
import { etagOf, withMeta } from '../scim-headers.js';
import type { ScimLocations } from '../scim-locations.service.js';
import type { GroupOfUser, UserRow } from './users.repository.js';

/** A user as responses show it. */
export function showUser(
  row: UserRow,
  groups: readonly GroupOfUser[],
  projection: Projection,
  locations: ScimLocations,
): Resource {
  const location = locations.of('Users', row.id);
  const version = etagOf(row.version);
  const whole: Resource = {
    ...row.data,
    schemas: [URN.user, ...(row.data[URN.enterprise] === undefined ? [] : [URN.enterprise])],
    id: row.id,
    active: row.active,
    ...(groups.length === 0 ? {} : { groups: groups.map((group) => showGroup(group, locations)) }),
    meta: { resourceType: 'User', created: row.createdAt, lastModified: row.updatedAt, location, version },
  };
  return withMeta(project(USERS, projection, whole), { version, location });
}

function showGroup({ value, display }: GroupOfUser, locations: ScimLocations) {
  return { value, $ref: locations.of('Groups', value), display, type: 'direct' };
}
