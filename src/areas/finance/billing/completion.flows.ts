import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { Database } from '#libs/database/database.js';
import { ProjectsService } from '#src/areas/work/projects/projects.service.js';
import { ProjectBilling } from './project-billing.js';

/** Drafts for projects that are invoiced at completion. */
@Injectable()
export class CompletionFlows implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly billing: ProjectBilling,
  ) {}

  onModuleInit(): void {
    this.automations.on({
      flow: 'finance.draft_on_project_completed',
      event: 'work.project.completed',
      handle: ({ subject }) => this.charge(subject.id),
    });
  }

  /** Does nothing if the project has been reopened. */
  private async charge(projectId: string): Promise<void> {
    await this.database.transaction(async () => {
      const project = await this.projects.records.find(projectId);
      if (project?.status === 'completed' && project.invoiceOn === 'completion') await this.billing.chargeRest(project);
    });
  }
}
