import { byKey, Field, flag, id, listOf, name, nested, text } from '#libs/http/field.js';
import { DiscoveredCustomField } from '#libs/resource/records/custom-field.dto.js';
import { PipelineStage } from '#src/areas/sales/sales.area.js';

/** A pipeline to choose for a record. */
export class StartPipeline {
  @Field(id(), { description: 'Id of the pipeline.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1d01' })
  id!: string;

  @Field(name(), { description: 'Name of the pipeline.', example: 'Sales' })
  name!: string;

  @Field(flag(), { description: 'Whether records that name no pipeline are in it.', example: true })
  isDefault!: boolean;

  @Field(listOf(nested(PipelineStage), { max: 30 }), { description: 'Its stages, in order.' })
  stages!: PipelineStage[];
}

/** What the tenant has added to a type of records. */
export class StartType {
  @Field(listOf(nested(DiscoveredCustomField), { max: 1_000 }), {
    description: 'Custom fields by key; archived ones are left out.',
  })
  customFields!: DiscoveredCustomField[];

  @Field(listOf(nested(StartPipeline), { max: 200 }), {
    description:
      'Pipelines for deals, the oldest first, without archived ones; empty for other types and without `pipelines:read`.',
  })
  pipelines!: StartPipeline[];

  @Field(text({ max: 16 }), {
    description:
      'Version of the type: changes with its fields, custom fields and pipelines, and with nothing else. Until then, what an app has derived of them stays valid.',
    example: '5f2b8c1e9a3d7046',
  })
  version!: string;
}

export const typesByKey = () => byKey(StartType);
