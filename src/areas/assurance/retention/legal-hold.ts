import { VersionedRow } from '#libs/database/tenant-row.js';
import { Field, id, instant, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { Attribute, ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';
import { PATH, recordType } from './retention-policy.js';

const ids = () => listOf(id(), { max: 1_000, unique: true });

/** What a hold covers. */
export class HoldScope {
  @Field(listOf(recordType(), { max: 100, unique: true }), {
    description: 'Types of records; all types if empty.',
    example: ['sales.deal'],
    optional: true,
  })
  objects!: string[];

  @Field(ids(), { description: 'Records; also covers what refers to them.', example: [], optional: true })
  objectIds!: string[];

  @Field(ids(), { description: 'Members: records that they own or that are about them.', example: [], optional: true })
  membershipIds!: string[];

  @Field(ids(), { description: 'Accounts, with their records.', example: [], optional: true })
  accountIds!: string[];

  @Field(instant(), {
    description: 'Only records that were changed at this time or later.',
    optional: true,
    nullable: true,
  })
  from!: string | null;

  @Field(instant(), {
    description: 'Only records that were created at this time or earlier.',
    optional: true,
    nullable: true,
  })
  to!: string | null;
}

/** A legal hold: records within its scope cannot be deleted or erased while it is active. */
export class LegalHold extends VersionedRow {
  @Attribute(name(), 'Name of the hold.', { example: 'Globex dispute' })
  name!: string;

  @Attribute(text({ min: 1, max: 500 }), 'The matter, such as a case number.', { example: '2026-114', nullable: true })
  matter!: string | null;

  @Attribute(
    nested(HoldScope),
    'What the hold covers: records of its types and its period. With ids, only those that at least one of its lists covers. A record stays covered when a change takes it out of the scope.',
    {
      example: { objects: ['sales.deal'], objectIds: [], membershipIds: [], accountIds: [], from: null, to: null },
    },
  )
  scope!: HoldScope;

  @ReadOnly(oneOf(['active', 'released']), 'Status of the hold.', { example: 'active' })
  status!: 'active' | 'released';

  @Attribute(text({ min: 1, max: 2_000 }), 'Why the hold was placed.', { example: 'Lawsuit expected' })
  reason!: string;

  @ReadOnly(text({ max: 2_000 }), 'Why the hold was released; null while it is active.', { nullable: true })
  releaseReason!: string | null;

  @ReadOnly(nested(ActorView), 'Who placed the hold.', {
    example: { type: 'member', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22', name: 'Ada Admin' },
  })
  placedBy!: ActorView;

  @ReadOnly(nested(ActorView), 'Who released the hold; null while it is active.', { nullable: true })
  releasedBy!: ActorView | null;

  @ReadOnly(instant(), 'Time of the release; null while the hold is active.', { nullable: true })
  releasedAt!: string | null;
}

export const holds = governedType(LegalHold, {
  type: 'core.legal_hold',
  noun: 'legal hold',
  table: 'data.legal_holds',
  path: PATH,
  hasPath: false,
  risk: 'high',
  limit: { max: 200, detail: 'A tenant can have 200 active legal holds.', of: `t.status = 'active'` },
  actions: { release_hold: { from: ['active'], event: 'released' } },
  events: {
    placed: 'A legal hold was placed.',
    extended: 'A legal hold also covers the record that one of its records was merged into.',
    released: 'A legal hold was released.',
  },
});
