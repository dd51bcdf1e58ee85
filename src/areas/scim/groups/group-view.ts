import { project, type Projection } from '#libs/scim-language/projection.js';
import type { Resource } from '#libs/scim-language/resource.js';
import { GROUPS } from '#libs/scim-language/resource-schema.js';
import { URN } from '#libs/scim-language/urn.js';
import { etagOf, withMeta } from '../scim-headers.js';
import type { ScimLocations } from '../scim-locations.service.js';
import type { GroupMember, GroupRow } from './groups.repository.js';

/** A group as responses show it; without members, `members` is omitted. */
export function showGroup(
  row: GroupRow,
  members: readonly GroupMember[],
  projection: Projection,
  locations: ScimLocations,
): Resource {
  const location = locations.of('Groups', row.id);
  const version = etagOf(row.version);
  const users = locations.of('Users');
  const shown = members.map(({ value, display }) => ({ value, $ref: `${users}/${value}`, display, type: 'User' }));
  const whole: Resource = {
    ...row.data,
    schemas: [URN.group],
    id: row.id,
    ...(shown.length > 0 && { members: shown }),
    meta: { resourceType: 'Group', created: row.createdAt, lastModified: row.updatedAt, location, version },
  };
  return withMeta(project(GROUPS, projection, whole), { version, location });
}
