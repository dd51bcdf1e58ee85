import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ActorStamp } from '#libs/resource/types/record.entity.js';

@Entity({ schema: 'data', name: 'ai_prompt_versions' })
export class PromptVersion {
  @PrimaryColumn('uuid', { name: 'tenant_id' })
  tenantId!: string;

  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'prompt_id' })
  promptId!: string;

  @Column('integer', { name: 'prompt_version' })
  promptVersion!: number;

  @Column('text')
  template!: string;

  @Column('text', { array: true })
  variables!: string[];

  @Column('text', { name: 'commit_note', nullable: true })
  commitNote!: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: string;

  @Column('jsonb', { name: 'created_by' })
  createdBy!: ActorStamp;
}
