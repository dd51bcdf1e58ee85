import { Column, Entity } from 'typeorm';
import { RecordRow } from '#libs/resource/record.entity.js';
import type { PromptLabel } from './prompt.dto.js';

@Entity({ schema: 'data', name: 'ai_prompts' })
export class Prompt extends RecordRow {
  @Column('text')
  key!: string;

  @Column('integer', { name: 'prompt_version' })
  promptVersion!: number;

  @Column('text')
  template!: string;

  @Column('text', { array: true })
  variables!: string[];

  @Column('text', { name: 'commit_note', nullable: true })
  commitNote!: string | null;

  @Column('jsonb')
  labels!: PromptLabel[];
}
