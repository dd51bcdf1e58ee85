import { Injectable } from '@nestjs/common';
import type { Statement } from '#libs/database/statement.js';
import { Problem } from '#libs/kernel/problem.js';
import { MEMBER, mustExist } from '#libs/resource/access/references.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Decisions } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { completeItem, itemFaults, type GivenItem, type TemplateItem } from '#libs/checklists/template-item.js';
import { type ChecklistTemplate, checklistTemplates } from './checklist-template.js';

/** Templates of checklists. */
@Injectable()
export class ChecklistTemplatesService implements Decisions<ChecklistTemplate> {
  readonly records: Records<ChecklistTemplate>;

  constructor(kit: ResourceKit) {
    this.records = Records.of(checklistTemplates, kit, this);
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
