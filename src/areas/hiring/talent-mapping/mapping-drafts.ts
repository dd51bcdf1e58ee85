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
import type { MappingValues, RequiredValue, ValueName } from './mapping-values.js';

const LIVE = 'talent_mappings_live_key';

/** A mapping that has not been stored. */
export interface MappingDraft {
  sources: Sources;
  templateId: string | null;
  plan: Plan;
  values: MappingValues;
  /** Names of the values that callers have set. */
  given: ValueName[];
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
    return this.filled(sources, template?.id ?? null, values);
  }

  /**
   * The content of a mapping after the hire: what callers have set stays, and the rest is derived again. A template
   * that the hire names replaces that of a mapping prepared before.
   */
  async draftAgain(row: Mapping): Promise<MappingDraft> {
    const sources = await this.sources.of(row);
    const { hiredAt, mappingTemplateId } = sources.application;
    const named = hiredAt !== null && row.createdAt < hiredAt ? mappingTemplateId : null;
    const own = row.given.filter((name) => row.values[name] !== null).map((name) => [name, row.values[name]]);
    const values = Object.fromEntries(own) as Partial<MappingValues>;
    return this.filled(sources, named ?? row.templateId, values);
  }

  add(transaction: Transaction, draft: MappingDraft): Mapping {
    const { sources, templateId } = draft;
    return this.runs.objects.add(transaction, {
      candidateId: sources.candidate.id,
      applicationId: sources.application.id,
      templateId,
      ...contentOf(draft),
      steps: [],
      employeeId: null,
      invitationId: null,
      appliedBy: null,
      invitee: null,
      promise: null,
    });
  }

  /** Gives a locked mapping the content of a draft, unless it has begun. */
  complete(transaction: Transaction, row: Mapping, draft: MappingDraft): Mapping {
    if (row.status !== 'draft' && row.status !== 'ready') return row;
    return this.runs.objects.change(transaction, row, { templateId: draft.templateId, ...contentOf(draft) });
  }

  /** Sets values of a locked mapping for a caller. A failed one stays failed until it is retried. */
  async edit(
    transaction: Transaction,
    row: Mapping,
    changes: Partial<MappingValues>,
    notes: { reason?: string | null } = {},
  ): Promise<Mapping> {
    const { candidate } = await this.sources.of(row);
    const plan = await this.templates.planOf(row.templateId);
    const values = { ...row.values, ...changes };
    const given = [...new Set([...row.given, ...namesIn(changes)])];
    const content = contentOf({ values, given, missing: missingIn(values, plan, candidate.email) });
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

  private async filled(
    sources: Sources,
    templateId: string | null,
    own: Partial<MappingValues> = {},
  ): Promise<MappingDraft> {
    const plan = await this.templates.planOf(templateId);
    const values = { ...valuesFrom(sources, plan), ...own };
    const missing = missingIn(values, plan, sources.candidate.email);
    return { sources, templateId, plan, values, given: namesIn(own), missing };
  }
}

function contentOf({ values, given, missing }: Pick<MappingDraft, 'values' | 'given' | 'missing'>) {
  const status: Mapping['status'] = missing.length > 0 ? 'draft' : 'ready';
  return { values, given, missing, status, startDate: values.startDate };
}

function namesIn(values: Partial<MappingValues>): ValueName[] {
  return Object.keys(values) as ValueName[];
}
