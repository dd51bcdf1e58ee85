import { flag, listOf, nested } from '#libs/http/field.js';
import { stateless } from '#libs/kernel/lifecycle.js';
import { Attribute } from '#libs/resource/types/attribute.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { DEFAULT_STAGES, PipelineStage, RENEWAL_STAGES } from './pipeline.stages.js';

/** The stages for one kind of deal. */
export class Pipeline extends RecordRow {
  @Attribute(flag(), 'True for the one pipeline of the tenant that takes new deals which name none.', {
    default: false,
  })
  isDefault!: boolean;

  @Attribute(
    listOf(nested(PipelineStage), { min: 3, max: 30 }),
    'Stages in order: one or more open, exactly one won, one or more lost. The standard stages by default.',
    { default: DEFAULT_STAGES },
  )
  stages!: PipelineStage[];
}

export type ShownPipeline = Shown<Pipeline>;
export type PipelineAction = 'delete';

/** A pipeline cannot be restored, so it can be deleted only while it contains no deals. */
export const pipelines = recordType(Pipeline, {
  area: 'sales',
  collection: 'pipelines',
  noun: 'pipeline',
  prefix: 'PIPE',
  permissions: { read: 'pipelines:read', write: 'pipelines:manage' },
  name: { example: 'Sales' },
  searchable: false,
  defaultSort: 'createdAt',
  keptWhile: { delete: 't.is_default' },
  problems: { update: ['in_use'], delete: ['in_use'] },
  bodies: { create: { name: 'Renewals', stages: RENEWAL_STAGES }, update: { name: 'Renewals EMEA', isDefault: true } },
  lifecycle: stateless<PipelineAction>({
    delete: {
      from: ['active'],
      to: null,
      permission: 'pipelines:manage',
      event: 'deleted',
      summary: 'Delete a pipeline',
      happened: 'A pipeline was deleted.',
      risk: 'medium',
    },
  }),
});
