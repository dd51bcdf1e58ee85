import { Injectable } from '@nestjs/common';
import { type Statement, statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { MEMBER, mustBeVisible, mustExist } from '#libs/resource/access/references.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Decisions } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import {
  type ChecklistKind,
  completeItem,
  itemFaults,
  type GivenItem,
  type TemplateItem,
} from '#libs/checklists/template-item.js';
import { type ChecklistTemplate, checklistTemplates } from './checklist-template.js';

const TABLE = 'data.settings_checklist_templates';
const LOCK = `select id from ${TABLE} where tenant_id = $1 and id = $2 for share`;
const IS_USED = `select exists (select from data.tenant_settings where tenant_id = $1
  and $2 in (values #>> '{people,onboardingTemplate}', values #>> '{people,offboardingTemplate}')) as yes`;

/** Templates of checklists. */
@Injectable()
export class ChecklistTemplatesService implements Decisions<ChecklistTemplate> {
  readonly records: Records<ChecklistTemplate>;

  constructor(private readonly kit: ResourceKit) {
    this.records = Records.of(checklistTemplates, kit, this);
  }

  /** A change of the settings locks the template that it selects, so the result stays valid in the transaction. */
  async prepare(transaction: Transaction, row: ChecklistTemplate, action: string): Promise<ChecklistTemplate> {
    if (action !== 'archive') return row;
    const [used] = await transaction.query<{ yes: boolean }>(statement(IS_USED, [currentTenant().id, row.id]));
    if (used!.yes) throw new Problem('in_use', 'The settings use the template; set another one first.');
    return row;
  }

  /**
   * The template that a body names in `templateId`.
   * @throws Problem 400 for a template that the caller cannot see, is archived or has another kind.
   */
  async named(id: string, kind: ChecklistKind): Promise<ChecklistTemplate> {
    const pointer = '/templateId';
    const template = await this.records.find(id);
    if (template?.archivedAt !== null) throw Problem.unknownReference(pointer);
    if (template.appliesTo === kind) return template;
    const detail = `The template is meant for ${template.appliesTo}, not for ${kind}.`;
    throw Problem.validation([{ pointer, code: 'invalid_value', detail }]);
  }

  /**
   * Fails the transaction with a 400 at `pointer` unless the template is visible to the caller, is not archived and has
   * this kind. Locks it until the transaction ends.
   */
  async requireLive(transaction: Transaction, pointer: string, id: string, kind: ChecklistKind): Promise<void> {
    await transaction.query(statement(LOCK, [currentTenant().id, id]));
    const live = { table: TABLE, where: `archived_at is null and applies_to = '${kind}'` };
    transaction.write(mustBeVisible(this.kit.registry, live, pointer, [id]));
  }

  draft({ checklistItems, ...input }: Partial<ChecklistTemplate>): Draft<ChecklistTemplate> {
    return { ...input, checklistItems: checked(checklistItems!) } as Draft<ChecklistTemplate>; // the body requires the others
  }

  edit(_row: ChecklistTemplate, { checklistItems, ...patch }: Partial<ChecklistTemplate>): Partial<ChecklistTemplate> {
    return checklistItems ? { ...patch, checklistItems: checked(checklistItems) } : patch;
  }

  checks({ checklistItems }: ChecklistTemplate, before: ChecklistTemplate | null): Statement[] {
    return checklistItems === before?.checklistItems ? [] : assigneeChecks(checklistItems);
  }
}

/** Statements that fail unless the members that items are assigned to exist. */
function assigneeChecks(items: readonly TemplateItem[]): Statement[] {
  return items.flatMap(({ assignee }, i) =>
    assignee?.membershipId === undefined
      ? []
      : [mustExist(MEMBER, `/checklistItems/${i}/assignee/membershipId`, [assignee.membershipId])],
  );
}

/** Items with their defaults. @throws Problem 400 for duplicate or unknown keys, cycles and unclear assignees. */
function checked(items: readonly GivenItem[]): TemplateItem[] {
  const faults = itemFaults(items);
  if (faults.length > 0) throw Problem.validation(faults);
  return items.map(completeItem);
}
