import { Column, Entity } from 'typeorm';
import { RecordRow } from '#libs/resource/record.entity.js';
import type { PipelineStage } from './pipeline.stages.js';

@Entity({ schema: 'data', name: 'sales_pipelines' })
export class Pipeline extends RecordRow {
  @Column('boolean', { name: 'is_default' })
  isDefault!: boolean;

  @Column('jsonb')
  stages!: PipelineStage[];
}
