import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { Database } from '#libs/database/database.js';
import { ProjectsService } from '#src/areas/work/projects/projects.service.js';
import { type Project, ProjectBilling } from './project-billing.js';

/** Drafts for projects that are invoiced at completion, and for their time that is approved later. */
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
      onBehalf: { of: 'tenant', because: 'consequence' },
      handle: ({ subject }) => this.charge(subject.id, isCompleted),
    });
    this.automations.on({
      flow: 'finance.draft_on_late_time',
      event: 'work.time_entry.approved',
      onBehalf: { of: 'tenant', because: 'consequence' },
      handle: async ({ data: { projectId } }) => {
        if (typeof projectId === 'string') await this.charge(projectId, takesLateTime);
      },
    });
  }

  /** Does nothing if the project has been reopened. */
  private async charge(projectId: string, applies: (project: Project) => boolean): Promise<void> {
    await this.database.transaction(async () => {
      const project = await this.projects.records.find(projectId);
      if (project && applies(project)) await this.billing.chargeRest(project);
    });
  }
}

function isCompleted({ status, invoiceOn }: Project): boolean {
  return status === 'completed' && invoiceOn === 'completion';
}

/** Whether time that is approved after the completion is charged. */
function takesLateTime(project: Project): boolean {
  return isCompleted(project) && project.billingModel === 'time_and_materials';
}
