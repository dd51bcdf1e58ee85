import { Injectable } from '@nestjs/common';
import { breaksConstraint } from '#libs/database/failures.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Mapping } from './mapping.js';
import { missingIn } from './mapping.rules.js';
import { MappingRuns } from './mapping-runs.js';
import { matchFactsOf, MappingSources, type Sources, valuesFrom } from './mapping-sources.js';
import type { Plan } from './mapping-template.js';
import { MappingTemplatesService } from './mapping-templates.service.js';
import type { MappingValues, RequiredValue } from './mapping-values.js';

const LIVE = 'talent_mappings_live_key';

/** A mapping that has not been stored. */
export interface MappingDraft {
  sources: Sources;
  templateId: string | null;
  plan: Plan;
  values: MappingValues;
  missing: RequiredValue[];
}

/** Prepares mappings from hire, offer, job and template. */
@Injectable()
export class MappingDrafts {
  constructor(
    private readonly sources: MappingSources,
    private readonly templates: MappingTemplatesService,
    private readonly runs: MappingRuns,
  ) {}

  /**
   * @param templateId undefined for the template that the hire names, or else the best one
   * @throws Problem 400 for an unknown template; 404 for a candidate in the trash.
   */
  async draft(
    of: { candidateId: string; applicationId: string },
    { templateId, values }: { templateId?: string | undefined; values?: Partial<MappingValues> | undefined } = {},
  ): Promise<MappingDraft> {
    const sources = await this.sources.of(of);
    const chosen = templateId ?? sources.application.mappingTemplateId;
    const template =
      chosen === null ? await this.templates.bestFor(matchFactsOf(sources)) : await this.templates.find(chosen);
    if (!template && chosen !== null) throw Problem.unknownReference('/templateId');
    const plan = await this.templates.planOf(template?.id ?? null);
    const all = { ...valuesFrom(sources, plan), ...values };
    const missing = missingIn(all, plan, sources.candidate.email);
    return { sources, templateId: template?.id ?? null, plan, values: all, missing };
  }

  add(transaction: Transaction, { sources, templateId, values, missing }: MappingDraft): Mapping {
    return this.runs.objects.add(transaction, {
      candidateId: sources.candidate.id,
      applicationId: sources.application.id,
      templateId,
      ...contentOf(values, missing),
      steps: [],
      employeeId: null,
      invitationId: null,
      appliedBy: null,
    });
  }

  /** Sets the values of a locked mapping. A failed one stays failed until it is retried. */
  async edit(
    transaction: Transaction,
    row: Mapping,
    values: MappingValues,
    notes: { reason?: string | null } = {},
  ): Promise<Mapping> {
    const { candidate } = await this.sources.of(row);
    const plan = await this.templates.planOf(row.templateId);
    const content = contentOf(values, missingIn(values, plan, candidate.email));
    const status = row.status === 'failed' ? row.status : content.status;
    return this.runs.objects.change(transaction, row, { ...content, status }, 'updated', notes);
  }

  /** One transaction; a second live mapping of the application is refused. @throws Problem 409 `mapping_exists`. */
  async unit<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.runs.objects.unit(work);
    } catch (error) {
      if (!breaksConstraint(error, LIVE)) throw error;
      throw new Problem('mapping_exists', 'The application has a mapping that is not cancelled.');
    }
  }
}

function contentOf(values: MappingValues, missing: RequiredValue[]) {
  const status: Mapping['status'] = missing.length > 0 ? 'draft' : 'ready';
  return { values, missing, status, startDate: values.startDate };
}
