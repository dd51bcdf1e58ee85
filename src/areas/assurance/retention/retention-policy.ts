import { flag, instant, integer, nested, oneOf, text } from '#libs/http/field.js';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { storedFilter } from '#libs/resource/lists/stored-filter.js';
import { type Disposition, DISPOSITIONS } from '#libs/resource/retention/expiry.js';
import { Attribute, Derived } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { RunView } from './run.dto.js';

export const PATH = '/api/admin/retention';

export const recordType = () =>
  text({
    min: 3,
    max: 60,
    pattern: /^[a-z_]+\.[a-z0-9_]+$/,
    form: 'the type of a record, such as sales.deal',
  });
export const retainDays = () => integer({ min: 1, max: 36_500 });

/** How long records of a type are kept, and what happens to them then. */
export class RetentionPolicy extends VersionedRow {
  @Attribute(recordType(), 'Type of the records.', { example: 'sales.deal', once: true })
  object!: string;

  @Attribute(storedFilter, 'Query parameters of the list of this type: only these records expire.', {
    example: { status: 'lost' },
    optional: true,
  })
  filter!: Record<string, string>;

  @Derived(text({ max: 200 }), 'Start of the period: the first of these fields that is not empty.', {
    example: 'closedAt',
    told: false,
  })
  basis?: string;

  @Attribute(retainDays(), 'Days for which the records are kept from that start.', { example: 730 })
  retainDays!: number;

  @Attribute(oneOf(DISPOSITIONS), 'What happens to expired records.', { example: 'delete', default: 'delete' })
  disposition!: Disposition;

  @Attribute(flag(), 'Whether the policy runs every night.', { example: true, default: true })
  enabled!: boolean;

  @Attribute(text({ min: 1, max: 500 }), 'Legal basis of the period.', {
    example: 'Legitimate interest, reviewed yearly',
    nullable: true,
  })
  legalBasis!: string | null;

  @Derived(nested(RunView), 'The most recent run; null if there was none.', { nullable: true, told: false })
  lastRun?: RunView | null;

  @Derived(instant(), 'Time of the next nightly run; null if the policy is disabled.', { nullable: true, told: false })
  nextRunAt?: string | null;
}

export const policies = governedType(RetentionPolicy, {
  type: 'core.retention',
  noun: 'retention policy',
  table: 'data.retention_policies',
  path: PATH,
  names: { filter: 'policy_updated' },
  hasPath: false,
  risk: 'high',
  limit: { max: 200, detail: 'A tenant can have 200 retention policies.' },
  events: {
    policy_created: 'A retention policy was created.',
    policy_updated: 'A retention policy was changed.',
    policy_deleted: 'A retention policy was deleted.',
  },
});
