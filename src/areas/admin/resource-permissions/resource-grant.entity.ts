import { Column, Entity } from 'typeorm';
import { TenantRow } from '#libs/database/tenant-row.js';
import type { Level } from '#libs/auth/levels.js';
import type { ActorStamp } from '#libs/resource/record.entity.js';

export const PRINCIPAL_TYPES = ['membership', 'role', 'workspace', 'api_key', 'agent'] as const;

export type PrincipalType = (typeof PRINCIPAL_TYPES)[number];

/** An exception to roles, for one record or, without one, for all of a type in a workspace. */
@Entity({ schema: 'data', name: 'resource_grants' })
export class ResourceGrant extends TenantRow {
  @Column('text')
  object!: string;

  @Column('uuid', { name: 'object_id', nullable: true })
  objectId!: string | null;

  @Column('uuid', { name: 'workspace_id', nullable: true })
  workspaceId!: string | null;

  @Column('text', { name: 'principal_type' })
  principalType!: PrincipalType;

  @Column('uuid', { name: 'principal_id' })
  principalId!: string;

  @Column('text')
  level!: Level;

  @Column('text')
  effect!: 'allow' | 'deny';

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: string | null;

  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('jsonb', { name: 'granted_by' })
  grantedBy!: ActorStamp;

  /** Powers of who granted it last, see `powersOf`: a denial for a role or workspace reaches nobody with others. */
  @Column('text', { name: 'given_with', array: true })
  givenWith!: string[];

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: string;
}
