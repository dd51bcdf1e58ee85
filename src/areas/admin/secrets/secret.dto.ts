import { constant, Field, flag, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { asksForNames } from '#libs/resource/named-list.js';
import { ShortListQuery } from '#libs/resource/page-query.js';
import { ActorView, PageInfo } from '#libs/resource/record.dto.js';

/** Type key of secrets; also the beginning of their event types. */
export const SECRET_TYPE = 'core.secret';
/** Path of the secrets in the API. */
export const SECRETS_PATH = '/api/admin/secrets';

export const SECRET_KINDS = ['generic', 'api_key', 'oauth', 'certificate', 'webhook'] as const;
export type SecretKind = (typeof SECRET_KINDS)[number];

/** Bytes of a value in UTF-8. */
export const MAX_VALUE_BYTES = 65_536;
/** Secrets of one tenant. */
export const MAX_SECRETS = 200;
const MAX_GRACE_MINUTES = 43_200;

/** Name of a secret, as what uses it refers to it. */
export const secretName = () =>
  text({ min: 1, max: 100, pattern: /^[A-Z0-9_./-]+$/, form: 'capital letters, digits and the characters _ . / -' });
const description = () => text({ min: 1, max: 1_000 });

export class StoreSecret {
  @Field(secretName(), {
    description: 'What it is referred to by. If there is one with this name, it gets a new value.',
    example: 'AI/OPENAI_KEY',
  })
  name!: string;

  @Field(text({ min: 1, max: MAX_VALUE_BYTES }), {
    description: 'The secret itself, at most 65,536 bytes. It is never shown again.',
    example: 'the-key-that-the-provider-gave-you',
  })
  value!: string;

  @Field(oneOf(SECRET_KINDS), {
    description: 'What it is; generic if not given, and as before for a new value.',
    example: 'api_key',
    optional: true,
  })
  kind?: SecretKind;

  @Field(description(), { description: 'What it is for.', optional: true, nullable: true })
  description?: string | null;

  @Field(instant(), {
    description: 'When the value expires, after which it is not used any more; never if not given.',
    example: '2027-11-21T00:00:00.000Z',
    optional: true,
    nullable: true,
  })
  expiresAt?: string | null;

  @Field(integer({ min: 0, max: MAX_GRACE_MINUTES }), {
    description: 'Minutes for which the value before is still used where the new one is refused; 0 if not given.',
    example: 0,
    optional: true,
  })
  graceMinutes?: number;
}

/** What everybody may know of a secret: what its events carry. */
export class SecretFacts {
  @Field(id(), { description: 'Id of the secret (UUIDv7).', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1e01' })
  id!: string;

  @Field(constant(SECRET_TYPE), { description: 'Type of the record.', example: SECRET_TYPE })
  object!: string;

  @Field(secretName(), { description: 'What it is referred to by.', example: 'AI/OPENAI_KEY' })
  name!: string;

  @Field(oneOf(SECRET_KINDS), { description: 'What it is.', example: 'api_key' })
  kind!: SecretKind;

  @Field(description(), { description: 'What it is for.', nullable: true })
  description!: string | null;

  @Field(integer({ min: 1, max: 2_147_483_647 }), { description: 'Number of its value: 1 more with each.', example: 1 })
  version!: number;

  @Field(nested(ActorView), { description: 'Who made it.' })
  createdBy!: ActorView;

  @Field(instant(), { description: 'When it was made.', example: '2026-11-21T09:15:02.114Z' })
  createdAt!: string;

  @Field(instant(), { description: 'When it last got another value.', nullable: true })
  rotatedAt!: string | null;

  @Field(instant(), { description: 'When its value expires, or did; null for never.', nullable: true })
  expiresAt!: string | null;
}

/** What a secret is used by. */
export class SecretUse {
  @Field(text({ max: 40 }), { description: 'Type of what uses it.', example: 'ai.provider' })
  object!: string;

  @Field(id(), { description: 'Its id.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1e02' })
  id!: string;
}

export class SecretView extends SecretFacts {
  @Field(text({ max: 8, pattern: /^[0-9a-f]{8}$/ }), {
    description: 'Tells values apart without showing them: the beginning of a keyed hash.',
    example: '5f2b91c0',
  })
  fingerprint!: string;

  @Field(instant(), {
    description: 'Until when the value before is still used; null if there is none.',
    nullable: true,
  })
  previousUsableUntil!: string | null;

  @Field(instant(), { description: 'When it was last used; null for never.', nullable: true })
  lastUsedAt!: string | null;

  @Field(listOf(nested(SecretUse), { max: 200 }), { description: 'What refers to it.', example: [] })
  usedBy!: SecretUse[];
}

export class SecretList {
  @Field(listOf(nested(SecretView), { max: MAX_SECRETS }), { description: 'The secrets, by name; never their values.' })
  data!: SecretView[];

  @Field(nested(PageInfo), { description: 'How to go on.' })
  page!: PageInfo;
}

export class SecretQuery extends ShortListQuery {
  @Field(oneOf(SECRET_KINDS), { description: 'Only secrets of this kind.', optional: true })
  kind?: SecretKind;

  @Field(text({ min: 1, max: 100 }), {
    description: 'Only with this in name or description, in any case.',
    optional: true,
  })
  q?: string;

  @Field(integer({ min: 0, max: 3_650 }), {
    description: 'Only what expires within so many days, or has expired.',
    optional: true,
  })
  expiringInDays?: number;

  @Field(integer({ min: 0, max: 3_650 }), {
    description: 'Only what has been neither used nor given a value for so many days.',
    optional: true,
  })
  unusedForDays?: number;
}
asksForNames(SecretQuery, '`name`');

export class DeleteSecretQuery {
  @Field(flag(), { description: 'Delete it although something refers to it.', optional: true })
  force?: boolean;
}

export class DeletedSecret {
  @Field(id(), { description: 'Id of the secret.' })
  id!: string;

  @Field(flag(), { description: 'True: all of its values are destroyed.', example: true })
  deleted!: boolean;
}
