import { anyObject, Field, id, instant, integer, oneOf, text } from '#libs/http/field.js';
import { DISPOSITIONS } from '#libs/resource/retention/expiry.js';

const COUNT = integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

/** A run of a policy, or of the emptying of the trash. */
export class RunView {
  @Field(id(), { description: 'Id of the run.' })
  id!: string;

  @Field(id(), { description: 'The policy; null when the trash is emptied.', nullable: true })
  policyId!: string | null;

  @Field(oneOf(['execute']), { description: 'Always `execute`; a preview leaves no run.', example: 'execute' })
  mode!: 'execute';

  @Field(text({ max: 60 }), {
    description: 'Type of the records; null for all types.',
    example: 'sales.deal',
    nullable: true,
  })
  object!: string | null;

  @Field(oneOf(DISPOSITIONS), { description: 'What happens to expired records.', example: 'delete' })
  disposition!: string;

  @Field(id(), { description: 'The job; see `/api/operations/jobs/{id}`.' })
  jobId!: string;

  @Field(instant(), { description: 'Time of the start. Records that expire later are left for the next run.' })
  startedAt!: string;

  @Field(instant(), { description: 'Time of the end; null while the run is in progress.', nullable: true })
  finishedAt!: string | null;

  @Field(COUNT, { description: 'Expired records.', example: 1_200 })
  examined!: number;

  @Field(COUNT, { description: 'Records that were deleted, anonymised or archived.', example: 1_180 })
  affected!: number;

  @Field(COUNT, { description: 'Records kept because of a legal hold.', example: 15 })
  heldBack!: number;

  @Field(COUNT, { description: 'Records kept because others refer to them.', example: 5 })
  inUse!: number;

  @Field(COUNT, { description: 'Records that could not be processed.', example: 0 })
  failed!: number;

  @Field(anyObject({ type: 'object', additionalProperties: { type: 'integer' } }), {
    description: 'Affected records by type, including parts of deleted records.',
    example: { 'sales.deal': 1_180 },
  })
  perType!: Record<string, number>;
}
