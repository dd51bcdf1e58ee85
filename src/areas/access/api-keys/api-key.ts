import { Column } from 'typeorm';
import { isScope } from '#libs/auth/permissions.js';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { flag, id, instant, integer, type Kind, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { network } from '#libs/http/network-field.js';
import { Derived, Mapped, ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';

export const KEY_KINDS = ['personal', 'service'] as const;
export const KEY_STATUSES = ['active', 'suspended', 'expired', 'revoked'] as const;
/** Default lifetime of a key in days. */
export const USUAL_DAYS = 365;
/** Longest lifetime that does not require `api-keys:manage-all`: one year, including a leap day. */
export const LONGEST_DAYS = 366;
/** Maximum lifetime of a key for protected operations in days. */
export const PROTECTED_DAYS = 90;

const count = integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

const perMinute = integer({ min: 1, max: 1_000_000 });

/** A text with a rule of its own. */
function textWhich(max: number, isFine: (value: string) => boolean, code: string, detail: string): Kind {
  const kind = text({ min: 1, max });
  const check = (value: unknown) => {
    const faults = kind.check(value);
    return faults.length > 0 || isFine(value as string) ? faults : [{ code, detail }];
  };
  return { ...kind, check };
}

const scope = textWhich(
  100,
  isScope,
  'unknown_scope',
  'The value must be a permission such as deals:read, or a wildcard such as deals:*, *:read or *.',
);

/** The tenant's view of an API key. Its secrets and their rights are stored in the directory. */
export class ApiKey extends VersionedRow {
  @Mapped(name(), 'Name by which people recognise the key.', { example: 'Billing integration' })
  name!: string;

  @Mapped(
    oneOf(KEY_KINDS),
    '`personal`: it acts for you, and never may more than you may at the time. `service`: it acts for nobody, with its scopes alone.',
    { example: 'service', once: true },
  )
  kind!: (typeof KEY_KINDS)[number];

  @Mapped(listOf(scope, { min: 1, max: 200, unique: true }), 'Permissions and wildcards. You must hold all of them.', {
    example: ['deals:read', 'invoices:read'],
  })
  scopes!: string[];

  @Mapped(
    listOf(id(), { max: 100, unique: true }),
    'Workspaces to which the key is confined; empty for no limit. A confined key can access the records of these workspaces, but no operations on the whole tenant.',
    { example: [], optional: true },
  )
  @Column('uuid', { name: 'workspace_ids', array: true })
  workspaceIds!: string[];

  @Mapped(
    listOf(network(), { max: 50, unique: true }),
    'Addresses and networks that the key may be used from; empty for any.',
    {
      example: ['203.0.113.0/24'],
      optional: true,
    },
  )
  ipAllowList!: string[];

  @Mapped(
    flag(),
    `Whether protected operations are open to the key. Only owners make such keys, for at most ${PROTECTED_DAYS} days, and making one is a protected operation itself. A personal one has no wildcards among its scopes.`,
    { example: false, optional: true },
  )
  allowProtected!: boolean;

  @Mapped(
    instant(),
    `Time at which the key expires. Defaults to ${USUAL_DAYS} days from now, ${PROTECTED_DAYS} for protected operations, or less if the tenant sets \`security.apiKeyMaxAgeDays\`. Null (never) and more than ${LONGEST_DAYS} days require \`api-keys:manage-all\`.`,
    { example: '2027-11-21T00:00:00.000Z', nullable: true },
  )
  expiresAt!: string | null;

  @Mapped(
    perMinute,
    'Requests with GET or HEAD that the key may make in any 60 seconds, within the limit of the plan; null for the plan alone. A key cannot change its own limits.',
    { example: 60, nullable: true, told: false },
  )
  readsPerMinute!: number | null;

  @Mapped(perMinute, 'As `readsPerMinute`, for all other methods.', { example: 20, nullable: true, told: false })
  writesPerMinute!: number | null;

  @Derived(
    oneOf(KEY_STATUSES),
    'Only an `active` key is accepted. A personal key is `suspended` while its owner is not an active member.',
    { example: 'active', told: false },
  )
  status?: (typeof KEY_STATUSES)[number];

  @Derived(id(), 'Member that a personal key acts for; null for a service key.', { nullable: true })
  memberId!: string | null;

  @Derived(text({ max: 40 }), 'Beginning of the key.', { example: 'top_live_0a1B2c3D4e5F', told: false })
  prefix!: string;

  @ReadOnly(text({ max: 4 }), 'End of the key; null for an old one.', { example: '7Qx2', nullable: true, told: false })
  last4!: string | null;

  @Derived(instant(), 'Time at which its present secret was made.', { told: false })
  issuedAt!: string;

  @Derived(instant(), 'Time until which the secret before the last rotation is accepted; null if it no longer is.', {
    nullable: true,
    told: false,
  })
  previousExpiresAt!: string | null;

  @Derived(instant(), 'Time at which it was revoked.', { nullable: true })
  revokedAt!: string | null;

  @Derived(instant(), 'Time of the last use, to about half a minute; null if it was never used.', {
    nullable: true,
    told: false,
  })
  lastUsedAt!: string | null;

  @Derived(text({ max: 45 }), 'Address that the last use came from.', {
    example: '203.0.113.7',
    nullable: true,
    told: false,
  })
  lastUsedIp!: string | null;

  @Derived(count, 'Requests of the last 30 days, to about ten seconds.', { example: 18_204, told: false })
  requests30d?: number;

  @ReadOnly(nested(ActorView), 'Creator of the key.', {
    example: { type: 'member', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40', name: 'Ana Silva' },
    told: false,
  })
  createdBy!: ActorView;

  /** Time at which the coming expiry was announced. */
  @Column('timestamptz', { name: 'notified_at', nullable: true })
  notifiedAt!: string | null;

  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: string | null;
}

export const apiKeys = governedType(ApiKey, {
  type: 'settings.api_key',
  noun: 'API key',
  table: 'data.api_keys',
  path: '/api/settings/developer/api-keys',
  risk: 'medium',
  limit: { max: 500, detail: 'A tenant can have at most 500 valid keys.' },
  events: {
    created: 'An API key was made. Never with the key.',
    updated: 'An API key changed: name, scopes, workspaces, addresses or expiry.',
    rotated: 'An API key got a new secret. Never with the key.',
    revoked: 'An API key was revoked.',
    deleted: 'An API key was deleted; if it was still good it is revoked.',
    expiring: 'An API key expires within 14 days. Sent once for each secret.',
  },
});
