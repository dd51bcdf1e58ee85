import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type AutomationEvent, Automations } from '#libs/automation/automations.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { CandidatesService } from '#src/areas/talent/candidates/candidates.service.js';
import type { Mapping } from './mapping.js';
import { type MappingDraft, MappingDrafts } from './mapping-drafts.js';
import { MappingRights } from './mapping-rights.js';
import { MappingRuns } from './mapping-runs.js';
import { MappingTemplatesService } from './mapping-templates.service.js';

/** Event data of a hire. */
interface Hire {
  id: string;
  applicationId: string;
}

/** Creates a mapping for each hired candidate, and applies it if the tenant wants that. */
@Injectable()
export class HiredMappings implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly candidates: CandidatesService,
    private readonly drafts: MappingDrafts,
    private readonly runs: MappingRuns,
    private readonly rights: MappingRights,
    private readonly templates: MappingTemplatesService,
    private readonly settings: TenantSettings,
  ) {}

  onModuleInit(): void {
    this.automations.on({
      flow: 'talent.mapping_on_candidate_hired',
      event: 'talent.candidate.hired',
      onBehalf: { of: 'tenant', because: 'consequence' },
      handle: ({ data }) => this.map(data),
    });
    this.candidates.whenErased((applicationIds) => this.forget(applicationIds));
  }

  private async map(data: AutomationEvent['data']): Promise<void> {
    const { id: candidateId, applicationId } = data as unknown as Hire; // a hired candidate has them
    await this.drafts.unit(async (transaction) => {
      const known = await this.ofApplications(transaction, [applicationId]);
      const live = known.find(({ status }) => status !== 'cancelled') ?? null;
      const draft = await this.draft({ candidateId, applicationId }, live);
      if (!draft) return;
      const hiredAt = draft.sources.application.hiredAt!; // it is hired
      if (!live && known.some(({ updatedAt }) => updatedAt > hiredAt)) return; // somebody does not want one
      const row = live ? this.drafts.complete(transaction, live, draft) : this.drafts.add(transaction, draft);
      const plan = await this.templates.planOf(row.templateId);
      const { autoApply } = (await this.settings.get()).talent;
      if (autoApply && row.status === 'ready' && (await this.rights.isUnattended(transaction, row, plan)))
        await this.runs.begin(transaction, row, plan);
    });
  }

  /** Null for a candidate who is gone, no longer hired on the application, or an employee already. */
  private async draft(
    of: { candidateId: string; applicationId: string },
    live: Mapping | null,
  ): Promise<MappingDraft | null> {
    try {
      const draft = await (live ? this.drafts.draftAgain(live) : this.drafts.draft(of));
      const { status, applicationId, employeeId } = draft.sources.candidate;
      return status === 'hired' && applicationId === of.applicationId && employeeId === null ? draft : null;
    } catch (error) {
      if (error instanceof Problem && error.code === 'not_found') return null;
      throw error;
    }
  }

  /** Deletes the mappings of candidates whose personal data is erased. */
  private async forget(applicationIds: string[]): Promise<void> {
    await this.drafts.unit(async (transaction) => {
      for (const row of await this.ofApplications(transaction, applicationIds))
        this.runs.objects.remove(transaction, row);
    });
  }

  private ofApplications(transaction: Transaction, ids: string[]): Promise<Mapping[]> {
    return this.runs.objects.rows.lockAll(transaction, (add) => `t.application_id = any(${add(ids)}::uuid[])`);
  }
}
