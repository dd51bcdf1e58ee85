import { Field, flag, listOf, nested } from '#libs/http/field.js';
import { mergePatchOf, RecordInput, RecordView } from '#libs/resource/record.dto.js';
import { PipelineStage } from './pipeline.stages.js';

const STAGES = listOf(nested(PipelineStage), { min: 3, max: 30 });

export class CreatePipeline extends RecordInput {
  @Field(flag(), { description: 'Whether new deals go here when they name no pipeline.', optional: true })
  isDefault!: boolean;

  @Field(STAGES, { description: 'The stages in order; the standard ones if not given.', optional: true })
  stages!: PipelineStage[];
}

export const UpdatePipeline = mergePatchOf('UpdatePipeline', CreatePipeline);

export class PipelineView extends RecordView {
  @Field(flag(), { description: 'Whether new deals go here when they name no pipeline.' })
  isDefault!: boolean;

  @Field(STAGES, { description: 'The stages in order.' })
  stages!: PipelineStage[];
}
