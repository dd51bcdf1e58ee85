import { Column, Entity } from 'typeorm';
import { RecordRow } from '#libs/resource/record.entity.js';
import type { BillingInput } from '../projects/project.billing.js';
import type { TemplateMilestone, TemplateTask } from './project-template.dto.js';
import type { ProjectTemplateStatus } from './project-template.lifecycle.js';

@Entity({ schema: 'data', name: 'work_project_templates' })
export class ProjectTemplate extends RecordRow {
  @Column('text', { nullable: true })
  description!: string | null;

  @Column('text')
  status!: ProjectTemplateStatus;

  @Column('jsonb')
  phases!: string[];

  @Column('jsonb')
  milestones!: TemplateMilestone[];

  @Column('jsonb')
  tasks!: TemplateTask[];

  @Column('jsonb', { nullable: true })
  billing!: Partial<BillingInput> | null;
}
