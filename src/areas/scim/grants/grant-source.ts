/**
 * Identifies who granted a role or a workspace, so that each source revokes only its own grants.
 * `Source:` data.role_assignments.
 */

/** Grants of a configuration to all of its members. */
export function defaultsSource(configId: string): string {
  return `scim:${configId}`;
}

/** Grants of a configuration's mapping to the members of a group. */
export function groupSource(configId: string, groupId: string): string {
  return `scim:${configId}:${groupId}`;
}
