import { command } from '#libs/http/command.js';
import { Field, flag, id, integer, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { storedFilter } from '#libs/resource/lists/stored-filter.js';
import { type Disposition, DISPOSITIONS } from '#libs/resource/retention/expiry.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { HoldScope, holds, type LegalHold } from './legal-hold.js';
import { policies, recordType, retainDays, type RetentionPolicy } from './retention-policy.js';
import { RunView } from './run.dto.js';

export const ACTIONS = ['upsert_policy', 'delete_policy', 'preview', 'run_now', 'place_hold', 'release_hold'] as const;
const COUNT = integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

export class RetentionQuery {
  @Field(listOf(oneOf(['runs', 'holds']), { min: 1, max: 2, unique: true }), {
    description: 'Parts to include besides the policies; all by default.',
    example: ['runs'],
    optional: true,
  })
  include?: string[];
}

export class RetentionCommand {
  @Field(oneOf(ACTIONS), {
    description:
      '`upsert_policy` (default) creates a policy, or changes the one with the `id`, or else the one with the same `object` and `filter`. `delete_policy` is for owners. `preview` counts what a run would affect now. `run_now` starts a run, or returns the one in progress.',
    example: 'upsert_policy',
    optional: true,
  })
  action?: (typeof ACTIONS)[number];

  @Field(id(), {
    description: 'The policy or the hold; required for `delete_policy`, `run_now` and `release_hold`.',
    optional: true,
  })
  id?: string;

  @Field(recordType(), {
    description: 'Type of the records; required for a new policy.',
    example: 'sales.deal',
    optional: true,
  })
  object?: string;

  @Field(storedFilter, {
    description:
      'Query parameters of the list of this type: only these records expire. Members are named by their ids, not as `me`.',
    example: { status: 'lost' },
    optional: true,
  })
  filter?: Record<string, string>;

  @Field(retainDays(), {
    description:
      'Days for which the records are kept; required for a new policy. Only owners can lower it, delete or anonymise after fewer days than another policy of the type has, or delete or anonymise records that no policy covers yet.',
    example: 730,
    optional: true,
  })
  retainDays?: number;

  @Field(oneOf(DISPOSITIONS), {
    description: 'What happens to expired records; `delete` by default.',
    example: 'delete',
    optional: true,
  })
  disposition?: Disposition;

  @Field(flag(), {
    description: 'Whether the policy runs every night; true by default.',
    example: true,
    optional: true,
  })
  enabled?: boolean;

  @Field(text({ min: 1, max: 500 }), { description: 'Legal basis of the period.', optional: true, nullable: true })
  legalBasis?: string | null;

  @Field(flag(), { description: 'Must be true for `run_now`: deletion cannot be undone.', optional: true })
  confirm?: boolean;

  @Field(name(), { description: 'Name of a hold; required for `place_hold`.', optional: true })
  name?: string;

  @Field(text({ min: 1, max: 500 }), { description: 'Matter of a hold.', optional: true })
  matter?: string;

  @Field(nested(HoldScope), {
    description: 'What a hold covers, with at least one criterion; required for `place_hold`.',
    optional: true,
  })
  scope?: Partial<HoldScope>;

  @Field(text({ min: 1, max: 2_000 }), {
    description: 'Why a hold is placed or released; required for both.',
    optional: true,
  })
  reason?: string;
}

/** Only owners have it. */
export const OF_OWNERS = 'tenant:close';
const OF_HOLDS = { may: [{ permission: 'legal-holds:manage' }] };

command<(typeof ACTIONS)[number]>(
  RetentionCommand,
  {
    upsert_policy: {},
    delete_policy: { may: [{ permission: OF_OWNERS }] }, // the next policy of the type could be shorter without it
    preview: {},
    run_now: {},
    place_hold: OF_HOLDS,
    release_hold: OF_HOLDS,
  },
  { by: 'action', otherwise: 'upsert_policy' },
);

/** What a run would do now. */
export class RetentionPreview {
  @Field(COUNT, { description: 'Records that a run would delete, anonymise or archive.', example: 1_180 })
  wouldAffect!: number;

  @Field(listOf(id(), { max: 20 }), {
    description: 'Ids of some of them.',
    example: ['019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20'],
  })
  sampleIds!: string[];

  @Field(COUNT, { description: 'Expired records kept because of a legal hold.', example: 15 })
  heldBack!: number;

  @Field(COUNT, { description: 'Expired records kept because others refer to them.', example: 5 })
  inUse!: number;
}

export class RetentionMinimum {
  @Field(recordType(), { description: 'Type of the records.', example: 'finance.invoice' })
  object!: string;

  @Field(text({ max: 200 }), { description: 'Start of the period.', example: 'issueDate' })
  basis!: string;

  @Field(integer({ min: 0, max: 36_500 }), {
    description: 'Days for which they must be kept; 0 for no minimum.',
    example: 2_555,
  })
  days!: number;
}

export class DeletedPolicy {
  @Field(id(), { description: 'Id of the policy.' })
  id!: string;

  @Field(flag(), { description: 'Always true.', example: true })
  deleted!: boolean;
}

export class Retention {
  @Field(listOf(nested(policies.view), { max: 200 }), { description: 'The policies, oldest first.' })
  policies!: ShownObject<RetentionPolicy>[];

  @Field(listOf(nested(holds.view), { max: 1_000 }), {
    description: 'The legal holds, newest first; at most 1,000.',
    optional: true,
  })
  holds?: ShownObject<LegalHold>[];

  @Field(listOf(nested(RunView), { max: 20 }), { description: 'The last 20 runs, newest first.', optional: true })
  runs?: RunView[];

  @Field(listOf(nested(RetentionMinimum), { max: 200 }), {
    description: 'Types of records with their minimum periods.',
  })
  minimums!: RetentionMinimum[];
}
