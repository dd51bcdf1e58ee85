import { Injectable } from '@nestjs/common';
import { Problem } from '#libs/kernel/problem.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import { unknownReference } from '../violations.js';
import type { CreateProjectTemplate, ProjectTemplateView } from './project-template.dto.js';
import type { ProjectTemplate } from './project-template.entity.js';
import type { ProjectTemplateAction } from './project-template.lifecycle.js';
import { projectTemplateResource } from './project-template.resource.js';
import { ProjectTemplatesRepository } from './project-templates.repository.js';
import { orderTasks } from './template.rules.js';

type Input = Record<string, unknown>;

/** Templates of projects. */
@Injectable()
export class ProjectTemplatesService extends ResourceService<
  ProjectTemplate,
  ProjectTemplateView,
  ProjectTemplateAction
> {
  constructor(
    kit: ResourceKit,
    protected override readonly repository: ProjectTemplatesRepository,
  ) {
    super(projectTemplateResource, kit, repository);
  }

  /** The template that a new project names. @throws Problem 400 at `/templateId` unless it is published. */
  async published(id: string): Promise<ProjectTemplate> {
    const template = await this.find(id);
    if (template?.status !== 'published') throw unknownReference('/templateId');
    return template;
  }

  protected override async draft(body: Input): Promise<Draft<ProjectTemplate>> {
    const input = body as unknown as CreateProjectTemplate; // validated against it
    const { phases = [], milestones = [], tasks = [] } = input;
    orderTasks({ phases, milestones, tasks });
    return {
      name: input.name,
      description: input.description ?? null,
      status: 'draft',
      phases,
      milestones,
      tasks,
      billing: input.billing ?? null,
    };
  }

  protected override edit(row: ProjectTemplate, body: Input): Partial<ProjectTemplate> {
    if (row.status === 'archived')
      throw new Problem('record_locked', 'The template is archived; publish it again to change it.');
    const { billing, ...patch } = body as Partial<CreateProjectTemplate>;
    const { phases, milestones, tasks } = { ...row, ...patch };
    orderTasks({ phases, milestones, tasks });
    if (billing === undefined) return patch;
    return { ...patch, billing: billing === null ? null : { ...row.billing, ...billing } };
  }
}
