/** Names who has given a role or a workspace, so that each takes back only its own. `Source:` data.role_assignments. */

/** What a configuration gives everybody whom it makes a member. */
export function defaultsSource(configId: string): string {
  return `scim:${configId}`;
}

/** What a mapping of a configuration gives the members of a group. */
export function groupSource(configId: string, groupId: string): string {
  return `scim:${configId}:${groupId}`;
}
