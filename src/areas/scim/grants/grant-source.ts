/**
 * Identifies who has granted a role or a workspace, so that each source revokes only its own grants. `Source:`
 * data.role_assignments.
 */

/** Grants of a configuration to all its members. */
export function defaultsSource(configId: string): string {
  return `scim:${configId}`;
}

/** What a mapping of a configuration gives the members of a group. */
export function groupSource(configId: string, groupId: string): string {
  return `scim:${configId}:${groupId}`;
}
