import { oneByOne } from '#libs/database/one-by-one.js';
import { Injectable } from '@nestjs/common';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import type { Deleted } from '#libs/resource/types/record.dto.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { MappingFields } from './mapping-fields.js';
import { BUILT_IN, MappingTemplate, mappingTemplates, type Plan } from './mapping-template.js';
import { placeholderFaults } from './placeholders.js';
import { bestTemplate, type MatchFacts } from './template-choice.js';
import { ValueChecks } from './value-checks.js';

/** What callers set. */
export type TemplateInput = Omit<MappingTemplate, 'tenantId' | 'id' | 'version' | 'createdAt' | 'updatedAt'>;
export type ShownTemplate = ShownObject<MappingTemplate>;

const IS_OPEN = `select 1 from data.talent_mappings
  where tenant_id = $1 and template_id = $2 and status in ('draft', 'ready', 'applying', 'failed') limit 1`;
const NEW: Omit<TemplateInput, 'name'> = { ...BUILT_IN, isDefault: false, match: {} };

/** Templates of talent mappings. */
@Injectable()
export class MappingTemplatesService {
  private readonly objects: GovernedObjects<MappingTemplate>;

  constructor(
    kit: ResourceKit,
    private readonly fields: MappingFields,
    private readonly checks: ValueChecks,
  ) {
    this.objects = new GovernedObjects(mappingTemplates, kit);
  }

  /** All templates, oldest first. */
  async list(): Promise<ShownTemplate[]> {
    return (await this.objects.rows.all()).map((row) => this.objects.view(row));
  }

  /** The best template for a candidate; null for the built-in one. */
  async bestFor(facts: MatchFacts): Promise<MappingTemplate | null> {
    return bestTemplate(await this.objects.rows.all(), facts);
  }

  /** Null if there is none. */
  find(id: string): Promise<MappingTemplate | null> {
    return this.objects.rows.find(id);
  }

  /** The facts of a template, or of the built-in one. */
  async planOf(id: string | null): Promise<Plan> {
    const template = id === null ? null : await this.find(id);
    if (!template) return BUILT_IN;
    const { defaults, fieldMap, onboardingTemplateId, createMembership, copyPay, inviteDaysBeforeStart } = template;
    return { defaults, fieldMap, onboardingTemplateId, createMembership, copyPay, inviteDaysBeforeStart };
  }

  /** @throws Problem 400, 403 for roles that the caller may not grant, 409 `limit_reached`. */
  async create(input: Pick<TemplateInput, 'name'> & Partial<TemplateInput>): Promise<ShownTemplate> {
    return this.change(async (transaction) => {
      await this.objects.refuseBeyondLimit();
      const own = { ...NEW, ...input };
      await this.check(transaction, own);
      return this.objects.add(transaction, own);
    }, input.isDefault);
  }

  /** @throws Problem 400, 403 for roles that the caller may not grant, 404, 412. */
  async update(id: string, patch: Partial<TemplateInput>): Promise<ShownTemplate> {
    return this.change(
      async (transaction) => {
        const before = await this.objects.lock(transaction, id);
        await this.check(transaction, patch);
        return this.objects.change(transaction, before, patch);
      },
      patch.isDefault,
      id,
    );
  }

  /** @throws Problem 404; 409 `record_locked` for the default one, `in_use` if an open mapping uses it; 412. */
  remove(id: string): Promise<Deleted> {
    return this.objects.delete(id, async (row, transaction) => {
      if (row.isDefault) throw new Problem('record_locked', 'The default template cannot be deleted.');
      if ((await transaction.query(statement(IS_OPEN, [currentTenant().id, id]))).length > 0)
        throw new Problem('in_use', 'Open mappings use the template; apply or cancel them first.');
    });
  }

  /** Templates change one after the other, because a new default one replaces the previous one. */
  private async change(
    work: (transaction: Transaction) => Promise<MappingTemplate>,
    isDefault = false,
    id: string | null = null,
  ): Promise<ShownTemplate> {
    return this.checks.explained(() =>
      this.objects.unit(async (transaction) => {
        transaction.write(oneByOne('talent_mapping_templates'));
        if (isDefault)
          for (const row of await this.objects.rows.lockAll(transaction, () => 't.is_default'))
            if (row.id !== id) this.objects.change(transaction, row, { isDefault: false });
        return this.objects.view(await work(transaction));
      }),
    );
  }

  private async check(transaction: Transaction, input: Partial<TemplateInput>): Promise<void> {
    const { match = {}, defaults = {}, fieldMap = [], onboardingTemplateId } = input;
    const faults = [...placeholderFaults(defaults), ...(await this.fields.faultsOf(fieldMap))];
    if (faults.length > 0) throw Problem.validation(faults);
    await this.checks.require(transaction, '/defaults', defaults);
    const named = [
      ['data.talent_jobs', '/match/jobIds', match.jobIds ?? []],
      ['data.people_departments', '/match/departmentIds', match.departmentIds ?? []],
      ['data.settings_checklist_templates', '/onboardingTemplateId', [onboardingTemplateId]],
    ] as const;
    for (const [table, pointer, ids] of named) this.checks.requireVisible(transaction, { table }, pointer, ids);
  }
}
