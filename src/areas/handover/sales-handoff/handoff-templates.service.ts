import { Injectable } from '@nestjs/common';
import { brokenReference } from '#libs/database/failures.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { completeItem, itemFaults } from '#libs/checklists/template-item.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { MEMBER, mustBeVisible, mustExist } from '#libs/resource/access/references.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Deleted } from '#libs/resource/types/record.dto.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { chosenFor, type MatchedDeal } from './handoff-choice.js';
import { NO_MATCH } from './handoff.parts.js';
import { DEFAULT_DUE_IN_DAYS, type HandoffTemplate, handoffTemplates, MAX_TEMPLATES } from './handoff-template.js';

const PIPELINE = { table: 'data.sales_pipelines' };
const PROJECT_TEMPLATE = { table: 'data.work_project_templates' };
const WORKSPACE = { table: 'data.workspaces', where: 'archived_at is null' };

type Content = Omit<HandoffTemplate, 'tenantId' | 'id' | 'version' | 'createdAt' | 'updatedAt'>;
type Shown = ShownObject<HandoffTemplate>;

/** Templates of handoffs. */
@Injectable()
export class HandoffTemplatesService {
  private readonly objects: GovernedObjects<HandoffTemplate>;

  constructor(private readonly kit: ResourceKit) {
    this.objects = new GovernedObjects(handoffTemplates, kit);
  }

  async list(): Promise<Shown[]> {
    return (await this.objects.rows.all()).map(shown);
  }

  /** The template with an id. @throws Problem 400 at `/templateId`. */
  async named(id: string): Promise<HandoffTemplate> {
    const template = await this.objects.rows.find(id);
    if (!template) throw Problem.unknownReference('/templateId');
    return template;
  }

  /** The template that is used for a deal; null if none matches and there is no default. */
  async choose(deal: MatchedDeal): Promise<HandoffTemplate | null> {
    return chosenFor(deal, await this.objects.rows.all(), currentTenant().currency);
  }

  /** @throws Problem 400, 409 `limit_reached`. */
  create(input: Partial<HandoffTemplate>): Promise<Shown> {
    const content = checked({ ...EMPTY, ...input, match: { ...NO_MATCH, ...input.match } } as Content); // the caller checks the name
    return this.unit(async (transaction) => {
      if ((await this.objects.rows.countOf(null)) >= MAX_TEMPLATES)
        throw new Problem('limit_reached', `A tenant can have ${MAX_TEMPLATES} handoff templates.`);
      if (content.isDefault) await this.replaceDefault(transaction);
      this.expectReferences(transaction, content);
      return shown(this.objects.add(transaction, content));
    });
  }

  /** Applies a merge patch. @throws Problem 400, 404, 409 `in_use` if there would be no default any more, 412. */
  update(id: string, patch: Partial<HandoffTemplate>): Promise<Shown> {
    return this.unit(async (transaction) => {
      const row = await this.objects.lock(transaction, id);
      if (row.isDefault && patch.isDefault === false) throw isDefault('Make another template the default instead.');
      const match = { ...row.match, ...patch.match };
      const { tenantId: _t, id: _i, version: _v, createdAt: _c, updatedAt: _u, ...content } = row;
      const after = checked({ ...content, ...patch, match });
      if (after.isDefault && !row.isDefault) await this.replaceDefault(transaction);
      this.expectReferences(transaction, patch);
      return shown(this.objects.change(transaction, row, after));
    });
  }

  /** Handoffs keep what they copied from it. @throws Problem 404, 409 `in_use` for the default. */
  remove(id: string): Promise<Deleted> {
    return this.unit(async (transaction) => {
      const row = await this.objects.lock(transaction, id);
      if (row.isDefault) throw isDefault('Make another template the default first.');
      this.objects.remove(transaction, row);
      return { id, object: handoffTemplates.type, deleted: true, deletedAt: this.objects.now() };
    });
  }

  private async unit<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.objects.unit(work);
    } catch (error) {
      const pointer = brokenReference(error);
      throw pointer === null ? error : Problem.unknownReference(pointer);
    }
  }

  private async replaceDefault(transaction: Transaction): Promise<void> {
    const defaults = await this.objects.rows.lockAll(transaction, () => 't.is_default');
    for (const row of defaults) this.objects.change(transaction, row, { isDefault: false });
  }

  private expectReferences(transaction: Transaction, given: Partial<Content>): void {
    for (const check of this.referencesOf(given)) transaction.write(check);
  }

  private *referencesOf(given: Partial<Content>): Generator<Statement> {
    const { match: { pipelineIds = [] } = {}, projectTemplateId, items = [], deliveryOwnerRule: rule } = given;
    const { registry } = this.kit;
    if (pipelineIds.length > 0) yield mustBeVisible(registry, PIPELINE, '/match/pipelineIds', pipelineIds);
    if (projectTemplateId) yield mustBeVisible(registry, PROJECT_TEMPLATE, '/projectTemplateId', [projectTemplateId]);
    for (const [i, { assignee }] of items.entries())
      if (assignee?.membershipId !== undefined)
        yield mustExist(MEMBER, `/items/${i}/assignee/membershipId`, [assignee.membershipId]);
    if (rule?.membershipId !== undefined)
      yield mustExist(MEMBER, '/deliveryOwnerRule/membershipId', [rule.membershipId]);
    if (rule?.workspaceId !== undefined)
      yield mustExist(WORKSPACE, '/deliveryOwnerRule/workspaceId', [rule.workspaceId]);
  }
}

const EMPTY: Omit<Content, 'name'> = {
  isDefault: false,
  match: NO_MATCH,
  items: [],
  requiredFields: [],
  projectTemplateId: null,
  deliveryOwnerRule: { type: 'deal_owner' },
  depositPercent: 0,
  dueInDays: DEFAULT_DUE_IN_DAYS,
};

/** The content with complete items. @throws Problem 400. */
function checked(content: Content): Content {
  const { items, match } = content;
  const faults: Violation[] = itemFaults(items, '/items');
  if (match.minValueMinor !== null && match.maxValueMinor !== null && match.minValueMinor > match.maxValueMinor)
    faults.push({
      pointer: '/match/maxValueMinor',
      code: 'out_of_range',
      detail: 'It must not be less than `minValueMinor`.',
    });
  if (faults.length > 0) throw Problem.validation(faults);
  return { ...content, items: items.map(completeItem) };
}

function isDefault(detail: string): Problem {
  return new Problem('in_use', `It is the default template. ${detail}`);
}

function shown({ tenantId: _t, ...row }: HandoffTemplate): Shown {
  return { ...row, object: handoffTemplates.type };
}
