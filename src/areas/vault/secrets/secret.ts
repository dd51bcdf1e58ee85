import { Column } from 'typeorm';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { Field, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { secretName } from '#libs/http/secret-field.js';
import { Attribute, Derived, ReadOnly, WriteOnly } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';

export const SECRET_KINDS = ['generic', 'api_key', 'oauth', 'certificate', 'webhook'] as const;
/** Maximum size of a value in bytes (UTF-8). */
export const MAX_VALUE_BYTES = 65_536;

const fingerprint = text({ max: 8, pattern: /^[0-9a-f]{8}$/ });

/** A reference to a secret. */
export class SecretUse {
  @Field(text({ max: 40 }), { description: 'Type of the object that refers to it.', example: 'ai.provider' })
  object!: string;

  @Field(id(), { description: 'Id of that object.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1e02' })
  id!: string;
}

/** A credential stored for a tenant. Its values are in a separate table. */
export class Secret extends VersionedRow {
  @Attribute(secretName(), 'Name by which other objects refer to the secret.', { example: 'AI/OPENAI_KEY' })
  name!: string;

  @WriteOnly(text({ min: 1, max: MAX_VALUE_BYTES }), 'The value, at most 65,536 bytes. It is never shown again.', {
    example: 'the-key-that-the-provider-gave-you',
    required: true,
  })
  value?: string;

  @Attribute(
    oneOf(SECRET_KINDS),
    'Kind of credential; `generic` by default. A new value keeps the kind if you send none.',
    {
      example: 'api_key',
      optional: true,
    },
  )
  kind!: (typeof SECRET_KINDS)[number];

  @Attribute(text({ min: 1, max: 1_000 }), 'Purpose of the secret.', { nullable: true })
  description!: string | null;

  @ReadOnly(nested(ActorView), 'Creator of the secret.', {
    example: { type: 'member', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40', name: 'Ana Silva' },
  })
  createdBy!: ActorView;

  @ReadOnly(instant(), 'Time at which it last got a new value.', { nullable: true })
  rotatedAt!: string | null;

  @Attribute(instant(), 'Time from which the value is no longer used; never if null.', {
    example: '2027-11-21T00:00:00.000Z',
    nullable: true,
  })
  expiresAt!: string | null;

  @WriteOnly(integer({ min: 0, max: 43_200 }), 'Minutes for which the previous value stays usable; 0 by default.', {
    example: 0,
  })
  graceMinutes?: number;

  @ReadOnly(fingerprint, 'Beginning of a keyed hash of the value, to tell values apart.', {
    example: '5f2b91c0',
    told: false,
  })
  fingerprint!: string;

  @Derived(instant(), 'Time until which the previous value stays usable; null if there is none.', {
    nullable: true,
    told: false,
  })
  previousUsableUntil?: string | null;

  @ReadOnly(instant(), 'Time of the last use; null if it was never used.', { nullable: true, told: false })
  lastUsedAt!: string | null;

  @Derived(listOf(nested(SecretUse), { max: 200 }), 'Objects that refer to the secret.', { example: [], told: false })
  usedBy?: SecretUse[];

  /** Number of days before expiry at which the last notice was sent. */
  @Column('smallint', { name: 'notified_days', nullable: true })
  notifiedDays!: number | null;
}

export const secrets = governedType(Secret, {
  type: 'core.secret',
  noun: 'secret',
  table: 'data.secrets',
  path: '/api/admin/secrets',
  hasPath: false,
  risk: 'high',
  without: ['updatedAt'],
  limit: { max: 200, detail: 'A tenant can have 200 secrets.' },
  events: {
    created: 'A secret was stored. Never with a value.',
    rotated: 'A secret got a new value. Never with a value.',
    deleted: 'A secret was deleted; all of its values are destroyed. Never with a value.',
    expiring: 'A secret expires within 14 days, or within one. Never with a value.',
  },
});
