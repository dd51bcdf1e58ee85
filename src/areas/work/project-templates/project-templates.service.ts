import { Injectable } from '@nestjs/common';
import { Problem } from '#libs/kernel/problem.js';
import type { Decisions } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { type ProjectTemplate, projectTemplates } from './project-template.js';
import { orderTasks } from './template.rules.js';

/** Templates of projects. */
@Injectable()
export class ProjectTemplatesService implements Decisions<ProjectTemplate> {
  readonly records: Records<ProjectTemplate>;

  constructor(kit: ResourceKit) {
    this.records = Records.of(projectTemplates, kit, this);
  }

  /** The template of a new project. @throws Problem 400 at `/templateId` unless it is published. */
  async published(id: string): Promise<ProjectTemplate> {
    const template = await this.records.find(id);
    if (template?.status !== 'published') throw Problem.unknownReference('/templateId');
    return template;
  }

  draft(input: Partial<ProjectTemplate>): Draft<ProjectTemplate> {
    orderTasks({ phases: [], milestones: [], tasks: [], ...input });
    return input as Draft<ProjectTemplate>; // the kit adds the defaults
  }

  edit(row: ProjectTemplate, patch: Partial<ProjectTemplate>): Partial<ProjectTemplate> {
    if (row.status === 'archived')
      throw new Problem('record_locked', 'The template is archived; publish it again to change it.');
    orderTasks({ ...row, ...patch });
    return patch.billing ? { ...patch, billing: { ...row.billing, ...patch.billing } } : patch;
  }
}
