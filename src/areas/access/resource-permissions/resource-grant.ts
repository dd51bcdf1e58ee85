import { Column } from 'typeorm';
import { type Level, LEVELS } from '#libs/auth/levels.js';
import { TenantRow } from '#libs/database/tenant-row.js';
import { Field, id, instant, nested, oneOf, text } from '#libs/http/field.js';
import { filter } from '#libs/resource/lists/list-query.js';
import { Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';

export const PRINCIPAL_TYPES = ['membership', 'role', 'workspace', 'api_key', 'agent'] as const;
export type PrincipalType = (typeof PRINCIPAL_TYPES)[number];
export const EFFECTS = ['allow', 'deny'] as const;
/** Exceptions have a constant version. */
export const GRANT_VERSION = 1;

export const typeKey = text({
  min: 3,
  max: 60,
  pattern: /^[a-z_]+\.[a-z_]+$/,
  form: 'the type of a record, such as sales.deal',
});

/** Principal of an exception. */
export class GrantPrincipal {
  @Field(oneOf(PRINCIPAL_TYPES), {
    description:
      'A member, all members with a role, all members of a workspace except guests, a service key, or an AI agent.',
    example: 'membership',
  })
  type!: PrincipalType;

  @Field(id(), {
    description: 'Id of the member, the role, the workspace, the key or the agent.',
    example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22',
  })
  id!: string;
}

/** An exception to roles, for one record or for all records of a type in a workspace. */
export class ResourceGrant extends TenantRow {
  @ReadOnly(typeKey, 'Type of the records.', { example: 'sales.deal' })
  object!: string;

  @ReadOnly(id(), 'The record; null for all of the type in the workspace.', {
    example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
    nullable: true,
  })
  objectId!: string | null;

  @ReadOnly(id(), 'Workspace whose records are covered.', { nullable: true })
  workspaceId!: string | null;

  @Derived(nested(GrantPrincipal), 'Principal that it is for.', {
    example: { type: 'membership', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22' },
  })
  principal?: GrantPrincipal;

  @ReadOnly(
    oneOf(LEVELS),
    'Level that is allowed together with all lower ones, or denied together with all higher ones.',
    {
      example: 'edit',
    },
  )
  level!: Level;

  @ReadOnly(oneOf(EFFECTS), 'Denials are checked before roles, allowances after them.', { example: 'allow' })
  effect!: (typeof EFFECTS)[number];

  @ReadOnly(instant(), 'Time at which it expires; null for never.', { nullable: true })
  expiresAt!: string | null;

  @ReadOnly(text({ max: 1_000 }), 'Reason for the exception.', {
    example: 'Helps out with the renewal',
    nullable: true,
  })
  reason!: string | null;

  @ReadOnly(nested(ActorView), 'Caller who last granted it.', {
    example: { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Back office' },
  })
  grantedBy!: ActorView;

  @Column('text', { name: 'principal_type' })
  principalType!: PrincipalType;

  @Column('uuid', { name: 'principal_id' })
  principalId!: string;

  /**
   * Powers of whoever last granted it, see `powersOf`. A denial for a role or workspace does not apply to holders of
   * further powers.
   */
  @Column('text', { name: 'given_with', array: true })
  givenWith!: string[];

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: string;

  /** Always {@link GRANT_VERSION}; no column. */
  version!: number;
}

const list = {
  filters: {
    object: filter.plain(typeKey, 'eq', 't.object'),
    objectId: filter.plain(id(), 'eq', 't.object_id'),
    workspaceId: filter.plain(id(), 'eq', 't.workspace_id'),
    principalType: filter.plain(oneOf(PRINCIPAL_TYPES), 'eq', 't.principal_type'),
    principalId: filter.plain(id(), 'eq', 't.principal_id'),
  },
  sorts: ['createdAt'],
  defaultSort: '-createdAt',
};

export const resourceGrants = governedType(ResourceGrant, {
  type: 'core.resource_permission',
  noun: 'exception',
  table: 'data.resource_grants',
  about: { type: 't.object', id: 't.object_id' },
  path: '/api/admin/resource-permissions',
  hasPath: false,
  risk: 'medium',
  list,
  without: ['version'],
  events: {
    granted: 'An exception to roles was granted or changed.',
    revoked: 'An exception to roles was revoked.',
  },
});

/** The representation of an exception in the API and events. */
export function withPrincipal<T extends Pick<ResourceGrant, 'principalType' | 'principalId'>>(
  row: T,
): T & { principal: GrantPrincipal } {
  return { ...row, principal: { type: row.principalType, id: row.principalId } };
}
