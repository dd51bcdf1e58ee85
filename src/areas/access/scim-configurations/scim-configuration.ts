import { Column } from 'typeorm';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { Field, id, instant, integer, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';

const STATUSES = ['active', 'disabled'] as const;
export const DEPROVISION_ACTIONS = ['suspend', 'deactivate'] as const;
export const MEMBER_ROLE = '00000000-0000-7000-8000-000000000004';

const count = integer({ min: 0, max: 2_147_483_647 });
export const roleIds = () => listOf(id(), { max: 50, unique: true });
export const domains = () =>
  listOf(
    text({
      min: 1,
      max: 253,
      pattern: /^[a-z0-9.-]+\.[a-z0-9-]+$/,
      form: 'a domain in lower case, such as acme.example',
    }),
    { max: 100, unique: true },
  );

/** Roles and workspaces for the members of a group. */
export class GroupMapping {
  @Field(name(), { description: 'Name of the group at the identity provider, case-insensitive.', example: 'Sales' })
  group!: string;

  @Field(roleIds(), {
    description: 'Roles granted to its members; the owner role is not allowed.',
    example: [MEMBER_ROLE],
  })
  roleIds!: string[];

  @Field(listOf(id(), { max: 100, unique: true }), {
    description: 'Workspaces that its members join.',
    example: [],
  })
  workspaceIds!: string[];
}

/** A connection to an identity provider. Its mapping is in a separate table, its tokens are in the directory. */
export class ScimConfiguration extends VersionedRow {
  @ReadOnly(name(), 'Display name.', { example: 'Entra ID' })
  name!: string;

  @ReadOnly(oneOf(STATUSES), 'Status; every call is refused while it is `disabled`.', { example: 'active' })
  status!: (typeof STATUSES)[number];

  @Derived(roleIds(), 'Roles of users that it provisions.', { example: [MEMBER_ROLE] })
  @Column('uuid', { name: 'default_role_ids', array: true })
  defaultRoleIds!: string[];

  @Derived(
    listOf(nested(GroupMapping), { max: 1_000 }),
    'Roles and workspaces granted to members of groups. Revoked when a user leaves the group or the mapping changes.',
    { example: [{ group: 'Sales', roleIds: [MEMBER_ROLE], workspaceIds: [] }] },
  )
  groupRoleMap!: GroupMapping[];

  @ReadOnly(
    oneOf(DEPROVISION_ACTIONS),
    'Action when the provider sends `active: false`: `suspend` pauses the user’s API keys, `deactivate` revokes them.',
    { example: 'suspend' },
  )
  deprovisionAction!: (typeof DEPROVISION_ACTIONS)[number];

  @Derived(domains(), 'Allowed e-mail domains; empty for any.', { example: ['acme.example'] })
  @Column('text', { name: 'allowed_domains', array: true })
  allowedDomains!: string[];

  @Derived(text({ max: 40 }), 'Prefix of the newest token.', { example: 'scim_0a1B2c3D4e5F', told: false })
  tokenPrefix?: string;

  @ReadOnly(text({ max: 4 }), 'Last four characters of the newest token.', { example: '7Qx2', told: false })
  tokenLast4!: string;

  @Derived(instant(), 'Time at which the newest token expires; null for never.', { nullable: true, told: false })
  tokenExpiresAt?: string | null;

  @ReadOnly(nested(ActorView), 'Creator of the configuration.', { told: false })
  createdBy!: ActorView;

  @Derived(instant(), 'Time at which one of its tokens was last used, accurate to about half a minute.', {
    nullable: true,
    told: false,
  })
  lastUsedAt?: string | null;

  @Derived(count, 'Number of users that it manages.', { example: 1_204, told: false })
  userCount?: number;

  @Derived(count, 'Number of groups that it has pushed.', { example: 12, told: false })
  groupCount?: number;

  @Derived(count, 'Number of refused or failed calls within the last 24 hours.', { example: 0, told: false })
  recentErrors?: number;

  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: string | null;
}

export const scimConfigurations = governedType(ScimConfiguration, {
  type: 'scim.configuration',
  noun: 'configuration',
  table: 'data.scim_configs',
  path: '/api/admin/scim',
  hasPath: false,
  risk: 'high',
  limit: { max: 200, detail: 'A tenant can have at most 200 configurations.' },
  events: {
    created: 'An identity provider was connected.',
    updated: 'A connection to an identity provider was changed: defaults, mapping, domains or token.',
    token_rotated: 'A connection to an identity provider got a new token.',
    enabled: 'A connection to an identity provider was enabled.',
    disabled: 'A connection to an identity provider was disabled. Its calls are refused.',
    deleted: 'A connection to an identity provider was removed and its tokens revoked.',
  },
});
