import { OVERLAP_HOURS } from '#libs/auth/new-credential.js';
import { civilDate, Field, fieldsOf, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { asksForNames } from '#libs/resource/lists/named-list.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { model, ONE_PAGE, PageInfo } from '#libs/resource/types/record.dto.js';
import { type ApiKey, apiKeys, KEY_KINDS, KEY_STATUSES } from './api-key.js';

/** Maximum time for which the old secret stays valid after a rotation. */

const days = integer({ min: 0, max: 3_650 });
const count = integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const permissions = listOf(text({ max: 100 }), { max: 500 });

export type NewApiKey = Pick<ApiKey, 'name' | 'kind' | 'scopes'> & ApiKeyOptions;
export type ApiKeyPatch = Partial<Pick<ApiKey, 'name' | 'scopes'> & ApiKeyOptions>;
type ApiKeyOptions = Partial<
  Pick<ApiKey, 'workspaceIds' | 'ipAllowList' | 'allowProtected' | 'expiresAt' | 'readsPerMinute' | 'writesPerMinute'>
>;

export class ApiKeyQuery extends PageQuery {
  @Field(oneOf(KEY_KINDS), { description: 'Only keys of this kind.', optional: true })
  kind?: ApiKey['kind'];

  @Field(oneOf(KEY_STATUSES), { description: 'Only keys with this status.', optional: true })
  status?: (typeof KEY_STATUSES)[number];

  @Field(days, { description: 'Only active keys that expire within this number of days.', optional: true })
  expiringInDays?: number;

  @Field(days, {
    description: 'Only active keys that were not used, created or rotated for this number of days.',
    optional: true,
  })
  unusedForDays?: number;
}
asksForNames(ApiKeyQuery, 'newest first');

export const ApiKeyWithSecret = model('ApiKeyWithSecret', {
  ...Object.fromEntries(fieldsOf(apiKeys.view)),
  apiKey: {
    kind: text({ max: 90 }),
    description: 'The key. Shown only once.',
    example: 'top_live_0a1B2c3D4e5F_0123456789abcdefghijABCDEFGHIJ0123456789abc_0aZ9bY',
  },
});

export class RotateApiKey {
  @Field(integer({ min: 0, max: OVERLAP_HOURS.longest }), {
    description: `Hours for which the old secret stays valid; defaults to ${OVERLAP_HOURS.usual}, 0 revokes it immediately.`,
    example: OVERLAP_HOURS.usual,
    optional: true,
  })
  overlapHours?: number;
}

export class ApiKeyUsageDay {
  @Field(civilDate(), { description: 'Day (UTC).', example: '2026-11-21' })
  day!: string;

  @Field(count, { description: 'GET and HEAD, as the rate limiter counted them.', example: 1_820 })
  reads!: number;

  @Field(count, { description: 'All other methods.', example: 96 })
  writes!: number;

  @Field(count, { description: 'Requests rejected with 429, not included in the other counts.', example: 0 })
  rateLimited!: number;

  @Field(count, { description: 'Reads and writes with a 4xx or 5xx response.', example: 3 })
  errors!: number;
}

export class ApiKeyUsage {
  @Field(listOf(nested(ApiKeyUsageDay), { max: 30 }), { description: 'The last 30 days, oldest first.' })
  data!: ApiKeyUsageDay[];

  @Field(nested(PageInfo), ONE_PAGE)
  page!: PageInfo;

  @Field(permissions, {
    description: 'Permissions that its requests needed on these days: the sufficient scopes.',
    example: ['deals:read'],
  })
  scopesUsed!: string[];

  @Field(permissions, {
    description: 'Scopes of the key that none of these requests needed.',
    example: ['invoices:read'],
  })
  scopesUnused!: string[];

  @Field(instant(), {
    description: 'Time of the last use, accurate to about half a minute; null if it was never used.',
    nullable: true,
  })
  lastUsedAt!: string | null;

  @Field(count, { description: 'Total reads and writes on these days.', example: 18_204 })
  requests30d!: number;
}
