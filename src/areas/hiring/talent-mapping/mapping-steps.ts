import { Injectable } from '@nestjs/common';
import { Checklists } from '#libs/checklists/checklists.js';
import { guarantorOfCaller } from '#libs/auth/guarantors.js';
import type { Transaction } from '#libs/database/transaction.js';
import { CHECK_NOW } from '#libs/resource/records/rehearsal.js';
import { checkedStep } from '#libs/steps/checked-step.js';
import type { PlanStep } from '#libs/steps/plan.js';
import { plannedSteps, type StepOutcome } from '#libs/steps/run-next-step.js';
import type { Step, StepReason } from '#libs/steps/step.js';
import { EmployeesService } from '#src/areas/people/employees/employees.service.js';
import { CalendarsService } from '#src/areas/settings/calendars/calendars.service.js';
import { ChecklistTemplatesService } from '#src/areas/settings/checklist-templates/checklist-templates.service.js';
import { CandidatesService } from '#src/areas/talent/candidates/candidates.service.js';
import { MappedEmployee } from './mapped-employee.js';
import type { Mapping } from './mapping.js';
import { MappingInvitations } from './mapping-invitations.js';
import type { MappingPromise } from './mapping-promise.js';
import { MappingSources, type Sources } from './mapping-sources.js';
import type { Plan } from './mapping-template.js';
import { MappingUndo } from './mapping-undo.js';

/** What a step works on: a mapping as it was approved. */
interface Assignment {
  row: Mapping;
  promise: MappingPromise;
}

const EMPLOYEE = 'people.employee';

/** The steps of a mapping, in their order. The invitation is the last one, because it may wait for weeks. */
@Injectable()
export class MappingSteps {
  readonly works: readonly (PlanStep<Mapping> & { isIn: (plan: Plan) => boolean })[] = [
    this.step(
      'pay',
      ({ copyPay }) => copyPay,
      (assignment) => this.decidePay(assignment),
    ),
    this.step(
      'employee',
      () => true,
      (assignment, transaction) => this.createEmployee(assignment, transaction),
      (row, target, transaction) => this.undo.employee(transaction, row, target),
    ),
    this.step(
      'checklist',
      ({ onboardingTemplateId }) => onboardingTemplateId !== null,
      async (assignment, transaction) => {
        const outcome = await this.startChecklist(assignment, transaction);
        await this.beginIfDue(transaction, assignment.row.employeeId!);
        return outcome;
      },
    ),
    this.step(
      'invitation',
      ({ createMembership }) => createMembership,
      ({ row, promise }, transaction) => this.invitations.send(transaction, row, promise.plan),
      (_, target, transaction) => this.undo.invitation(transaction, target),
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
    private readonly undo: MappingUndo,
  ) {}

  /** What a caller approves, or an automation begins, and the steps that will do it. */
  async promised(row: Mapping, plan: Plan): Promise<Pick<Mapping, 'invitee' | 'promise' | 'steps'>> {
    const sources = await this.sources.of(row);
    return {
      invitee: plan.createMembership ? this.employee.addressOf(sources, row.values, plan) : null,
      promise: { plan, guarantor: guarantorOfCaller() },
      steps: this.planned(plan, row.steps),
    };
  }

  /** Steps that are over stay; those after them follow the plan. */
  private planned(plan: Plan, before: readonly Step[]): Step[] {
    const over = before.filter(({ status }) => status === 'done' || status === 'skipped');
    const last = this.works.findIndex(({ key }) => key === over.at(-1)?.key);
    return [...over, ...plannedSteps(this.works.slice(last + 1).filter(({ isIn }) => isIn(plan)))];
  }

  private step(
    key: string,
    isIn: (plan: Plan) => boolean,
    run: (assignment: Assignment, transaction: Transaction) => Promise<StepOutcome>,
    undo?: PlanStep<Mapping>['undo'],
  ) {
    return {
      key,
      isIn,
      run: (row: Mapping) =>
        checkedStep(
          this.employees.records,
          (transaction) => run({ row, promise: row.promise! }, transaction), // the plan has asked for it
        ),
      ...(undo ? { undo } : {}),
    };
  }

  /** Automations do not copy pay. */
  private async decidePay({ row, promise }: Assignment): Promise<StepOutcome> {
    if (promise.guarantor === null)
      return skipped('pay_left_out', 'Pay is copied only if a person or a key applies the mapping.');
    const { offer } = await this.sources.of(row);
    if (offer?.payAmountMinor == null) return skipped('offer_missing', 'There is no accepted offer with pay.');
    return { status: 'done', target: { object: 'talent.offer', id: offer.id } };
  }

  private async createEmployee({ row, promise: { plan } }: Assignment, transaction: Transaction): Promise<StepOutcome> {
    const id = await this.candidates.becomeEmployee(row.candidateId, row.applicationId, async () => {
      const sources = await this.sources.of(row);
      const body = await this.employee.bodyOf(sources, row.values, plan);
      const origin = { candidateId: row.candidateId, mappingId: row.id };
      return (await this.employees.records.create({ ...body, ...origin, ...payIn(row, sources) })).id;
    });
    if (plan.onboardingTemplateId === null) await this.beginIfDue(transaction, id);
    return { status: 'done', target: { object: EMPLOYEE, id } };
  }

  /** Begins the employment of somebody whose first day has come, unless items of the checklist are open. */
  private async beginIfDue(transaction: Transaction, employeeId: string): Promise<void> {
    await transaction.query(CHECK_NOW); // sends what the step has written
    await this.employees.begin(employeeId);
  }

  private async startChecklist({ row, promise: { plan } }: Assignment, transaction: Transaction): Promise<StepOutcome> {
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
