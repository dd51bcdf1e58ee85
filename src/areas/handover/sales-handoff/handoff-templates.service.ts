import { Injectable } from '@nestjs/common';
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
import { DEFAULT_DUE_IN_DAYS, type HandoffTemplate, handoffTemplates } from './handoff-template.js';

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
    return (await this.objects.rows.all()).map((row) => this.objects.view(row));
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
    return this.objects.create(async (transaction) => {
      if (content.isDefault) await this.replaceDefault(transaction);
      this.expectReferences(transaction, content);
      return content;
    });
  }

  /** Applies a merge patch. @throws Problem 400, 404, 409 `in_use` if there would be no default any more, 412. */
  update(id: string, patch: Partial<HandoffTemplate>): Promise<Shown> {
    return this.objects.update(id, async (row, transaction) => {
      if (row.isDefault && patch.isDefault === false) throw isDefault('Make another template the default instead.');
      const after = checked({ ...row, ...patch, match: { ...row.match, ...patch.match } });
      if (after.isDefault && !row.isDefault) await this.replaceDefault(transaction);
      this.expectReferences(transaction, patch);
      return after;
    });
  }

  /** Handoffs keep what they copied from it. @throws Problem 404, 409 `in_use` for the default. */
  remove(id: string): Promise<Deleted> {
    return this.objects.delete(id, (row) => {
      if (row.isDefault) throw isDefault('Make another template the default first.');
    });
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
