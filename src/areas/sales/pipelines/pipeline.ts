import { flag, listOf, nested } from '#libs/http/field.js';
import { stateless } from '#libs/kernel/lifecycle.js';
import { Attribute } from '#libs/resource/types/attribute.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { archiveActions } from '#libs/resource/types/standard-actions.js';
import { DEFAULT_STAGES, PipelineStage, RENEWAL_STAGES, stageKey } from './pipeline.stages.js';

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
export type PipelineAction = 'archive' | 'unarchive' | 'delete';
/** A patch of a pipeline. `moveTo` is the key of the stage that the deals of removed stages move to. */
export type PipelinePatch = Partial<Pipeline> & { moveTo?: string };

/**
 * A pipeline cannot be restored, so it can be deleted only while no deal outside the trash is in it. An archived one keeps
 * its deals and gets no more.
 */
export const pipelines = recordType(Pipeline, {
  area: 'sales',
  collection: 'pipelines',
  noun: 'pipeline',
  prefix: 'PIPE',
  permissions: { read: 'pipelines:read', write: 'pipelines:manage' },
  name: { example: 'Sales' },
  defaultSort: 'createdAt',
  keptWhile: { archive: 't.is_default', delete: 't.is_default' },
  problems: { update: ['in_use'], archive: ['in_use'], delete: ['in_use'] },
  directions: {
    moveTo: {
      kind: stageKey(),
      optional: true,
      description:
        'With `stages`: key of the stage to which the deals of the removed stages move. It has their category. Required while deals outside the trash are in a stage that is removed or gets another category.',
      example: 'proposal',
    },
  },
  bodies: { create: { name: 'Renewals', stages: RENEWAL_STAGES }, update: { name: 'Renewals EMEA', isDefault: true } },
  lifecycle: stateless<PipelineAction>({
    ...archiveActions('pipeline', ['active'], 'pipelines:manage'),
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
