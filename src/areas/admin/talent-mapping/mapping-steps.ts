import { Injectable } from '@nestjs/common';
import { Checklists } from '#libs/checklists/checklists.js';
import type { Transaction } from '#libs/database/transaction.js';
import { checkedStep } from '#libs/steps/checked-step.js';
import { plannedSteps, type StepOutcome, type StepWork } from '#libs/steps/run-next-step.js';
import type { Step, StepReason } from '#libs/steps/step.js';
import { EmployeesService } from '#src/areas/people/employees/employees.service.js';
import { CalendarsService } from '#src/areas/settings/calendars/calendars.service.js';
import { ChecklistTemplatesService } from '#src/areas/settings/checklist-templates/checklist-templates.service.js';
import { CandidatesService } from '#src/areas/talent/candidates/candidates.service.js';
import { MappedEmployee } from './mapped-employee.js';
import type { Mapping } from './mapping.js';
import { MappingInvitations } from './mapping-invitations.js';
import { MappingSources, type Sources } from './mapping-sources.js';
import type { Plan } from './mapping-template.js';

/** What a step works on. */
export interface Assignment {
  row: Mapping;
  plan: Plan;
}

const EMPLOYEE = 'people.employee';

/** The steps of a mapping, in their order. The invitation is the last one, because it may wait for weeks. */
@Injectable()
export class MappingSteps {
  readonly works: readonly (StepWork<Assignment> & { isIn: (plan: Plan) => boolean })[] = [
    this.step(
      'pay',
      ({ copyPay }) => copyPay,
      (assignment) => this.decidePay(assignment),
    ),
    this.step(
      'employee',
      () => true,
      (assignment) => this.createEmployee(assignment),
    ),
    this.step(
      'checklist',
      ({ onboardingTemplateId }) => onboardingTemplateId !== null,
      (assignment, transaction) => this.startChecklist(assignment, transaction),
    ),
    this.step(
      'invitation',
      ({ createMembership }) => createMembership,
      ({ row, plan }, transaction) => this.invitations.send(transaction, row, plan),
    ),
  ];

  constructor(
    private readonly sources: MappingSources,
    private readonly candidates: CandidatesService,
    private readonly employees: EmployeesService,
    private readonly employee: MappedEmployee,
    private readonly templates: ChecklistTemplatesService,
    private readonly checklists: Checklists,
    private readonly calendars: CalendarsService,
    private readonly invitations: MappingInvitations,
  ) {}

  /** The steps of a mapping that has not begun. */
  planned(plan: Plan): Step[] {
    return plannedSteps(this.works.filter(({ isIn }) => isIn(plan)));
  }

  private step(
    key: string,
    isIn: (plan: Plan) => boolean,
    run: (assignment: Assignment, transaction: Transaction) => Promise<StepOutcome>,
  ) {
    return {
      key,
      isIn,
      run: (assignment: Assignment) =>
        checkedStep(this.employees.records, (transaction) => run(assignment, transaction)),
    };
  }

  /** Automations do not copy pay. */
  private async decidePay({ row }: Assignment): Promise<StepOutcome> {
    if (row.appliedBy?.type === 'automation')
      return skipped('pay_left_out', 'Pay is copied only if a person or a key applies the mapping.');
    const { offer } = await this.sources.of(row);
    if (offer?.payAmountMinor == null) return skipped('offer_missing', 'There is no accepted offer with pay.');
    return { status: 'done', target: { object: 'talent.offer', id: offer.id } };
  }

  private async createEmployee({ row, plan }: Assignment): Promise<StepOutcome> {
    const id = await this.candidates.becomeEmployee(row.candidateId, row.applicationId, async () => {
      const sources = await this.sources.of(row);
      const body = await this.employee.bodyOf(sources, row.values, plan);
      const origin = { candidateId: row.candidateId, mappingId: row.id };
      return (await this.employees.records.create({ ...body, ...origin, ...payIn(row, sources) })).id;
    });
    return { status: 'done', target: { object: EMPLOYEE, id } };
  }

  private async startChecklist({ row, plan }: Assignment, transaction: Transaction): Promise<StepOutcome> {
    const template = await this.templates.records.readPlainly(plan.onboardingTemplateId!);
    if (template.archivedAt !== null) return skipped('record_locked', 'The checklist template is archived.');
    const employee = await this.employees.records.readPlainly(row.employeeId!);
    const checklist = this.checklists.start(transaction, {
      title: template.name,
      kind: template.appliesTo,
      items: template.checklistItems,
      templateId: template.id,
      subject: { object: EMPLOYEE, id: employee.id },
      startDate: employee.startDate ?? row.values.startDate ?? this.checklists.objects.now().slice(0, 10),
      days: await this.calendars.businessDays(),
      holders: {
        owner: employee.ownerId,
        employee: employee.membershipId,
        manager: await this.employees.activeManagerOf(transaction, employee.id),
      },
    });
    return { status: 'done', target: { object: 'core.checklist', id: checklist.id } };
  }
}

/** The pay of the accepted offer, if the step `pay` has decided to copy it. */
function payIn({ steps }: Mapping, { offer }: Sources): Record<string, unknown> {
  if (offer === null || !steps.some(({ key, status }) => key === 'pay' && status === 'done')) return {};
  const { payAmountMinor, payCurrency, payPeriod } = offer;
  return { payAmountMinor, payCurrency, payPeriod };
}

function skipped(code: string, message: string): { status: 'skipped'; error: StepReason } {
  return { status: 'skipped', error: { code, message } };
}
