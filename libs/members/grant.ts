import { Column } from 'typeorm';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { id, instant, listOf, oneOf, text } from '#libs/http/field.js';
import { Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';

export const GRANT_STATUSES = ['active', 'suspended', 'expired', 'revoked'] as const;

/** Delegated access of a partner on behalf of a member. Its tokens are stored in the directory. */
export class OauthGrant extends VersionedRow {
  @ReadOnly(id(), 'Client of the partner.', { example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1f20' })
  clientId!: string;

  @ReadOnly(text({ max: 80 }), 'Name of the partner when the access was granted.', { example: 'Ledger Sync' })
  clientName!: string;

  @ReadOnly(id(), 'Member that the partner acts for.', { example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b41' })
  membershipId!: string;

  @Derived(
    listOf(text({ max: 100 }), { max: 500 }),
    'Granted permissions. The partner can use a permission only while the member has it.',
    { example: ['deals:read', 'invoices:read'] },
  )
  @Column('text', { name: 'scopes', array: true })
  scopes!: string[];

  @Derived(
    oneOf(GRANT_STATUSES),
    'Only an `active` grant can be used. `suspended`: the operator has suspended the partner. `expired`: the partner has not used it for 30 days.',
    { example: 'active', told: false },
  )
  status?: (typeof GRANT_STATUSES)[number];

  @ReadOnly(instant(), 'Time at which it was revoked.', { nullable: true })
  revokedAt!: string | null;

  @Derived(
    instant(),
    'Time at which the grant expires unless the partner uses it before; null once it is no longer valid.',
    {
      nullable: true,
      told: false,
    },
  )
  expiresAt?: string | null;

  @Derived(instant(), 'Time of the last use, accurate to about half a minute; null if it was never used.', {
    nullable: true,
    told: false,
  })
  lastUsedAt?: string | null;
}

export const oauthGrants = governedType(OauthGrant, {
  type: 'auth.grant',
  noun: 'grant',
  table: 'data.oauth_grants',
  path: '/api/settings/developer/oauth-grants',
  hasPath: false,
  risk: 'medium',
  events: {
    created: 'A member granted a partner access on their behalf.',
    revoked: 'A grant to a partner was revoked, and its tokens are rejected.',
  },
});
