/**
 * Every permission of the platform: `resource:action`, which is also the name of the scope of an API key. A route can
 * only ask for one that stands here.
 */
export const PERMISSIONS = {
  'audit:read': 'Read the audit log',
  'deals:read': 'Read deals',
  'deals:write': 'Create and edit deals',
  'deals:close': 'Win, lose and reopen deals',
  'deals:delete': 'Delete and restore deals',
  'outbox:read': 'Read the deliveries of events',
  'outbox:manage': 'Replay and skip deliveries',
  'pipelines:read': 'Read pipelines',
  'pipelines:manage': 'Create, change and delete pipelines',
  'usage:read': 'Read the usage of the API and its limits',
  'webhooks:read': 'Read webhook endpoints and their deliveries',
  'webhooks:write': 'Create, change, test and delete webhook endpoints',
} as const satisfies Record<string, string>;

export type Permission = keyof typeof PERMISSIONS;

export const PERMISSION_NAMES = Object.keys(PERMISSIONS) as Permission[];

/** Whether the text can be a scope: a permission, `resource:*`, `*:action` or `*`. */
export function isScope(text: string): boolean {
  return text === '*' || PERMISSION_NAMES.some((permission) => new PermissionSet([text]).has(permission));
}

/** A set of permissions that may hold wildcards. */
export class PermissionSet {
  private readonly exact: ReadonlySet<string>;
  private readonly resources: ReadonlySet<string>;
  private readonly actions: ReadonlySet<string>;
  private readonly all: boolean;

  constructor(readonly scopes: readonly string[]) {
    this.exact = new Set(scopes);
    this.all = this.exact.has('*');
    this.resources = new Set(scopes.filter((scope) => scope.endsWith(':*')).map((scope) => scope.slice(0, -2)));
    this.actions = new Set(scopes.filter((scope) => scope.startsWith('*:')).map((scope) => scope.slice(2)));
  }

  has(permission: string): boolean {
    if (this.all || this.exact.has(permission)) return true;
    const colon = permission.indexOf(':');
    return this.resources.has(permission.slice(0, colon)) || this.actions.has(permission.slice(colon + 1));
  }
}
