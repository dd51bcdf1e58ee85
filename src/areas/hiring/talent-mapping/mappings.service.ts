import { Injectable, type OnModuleInit } from '@nestjs/common';
import { requirePermission, reachOf } from '#libs/auth/current-principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { requirePossible } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import { requireCommand } from '#libs/resource/access/action-rights.js';
import { beyondReach } from '#libs/resource/access/record-rights.js';
import { RecordSights } from '#libs/resource/access/record-sights.js';
import { toListRequest } from '#libs/resource/lists/list-query.js';
import type { Undone } from '#libs/steps/plan.js';
import { CandidatesService, requireHired } from '#src/areas/talent/candidates/candidates.service.js';
import { EmployeesService } from '#src/areas/people/employees/employees.service.js';
import { MappedEmployee } from './mapped-employee.js';
import { type Mapping, mappingList, mappings } from './mapping.js';
import { APPLY, hasBegun, lackOf, type MappingAction, mappingLife, requireEditable } from './mapping.rules.js';
import { type MappingDraft, MappingDrafts } from './mapping-drafts.js';
import { MappingFields } from './mapping-fields.js';
import { MappingInvitations, rolesOf } from './mapping-invitations.js';
import { MappingRights } from './mapping-rights.js';
import { MappingRuns } from './mapping-runs.js';
import { MappingTemplatesService } from './mapping-templates.service.js';
import { MappingUndo } from './mapping-undo.js';
import {
  type ChangedTalentMapping,
  changeMapping,
  type ChangeTalentMapping,
  type MappingEffect,
  type MappingInput,
  type MappingPreview,
  type ShownMapping,
  type TalentMappings,
} from './talent-mapping.requests.js';
import { ValueChecks } from './value-checks.js';

const READ = 'talent-mappings:read';
const WRITE = 'talent-mappings:write';

type Outcome = [row: Mapping, effects: MappingEffect[]];

/** Talent mappings for callers. */
@Injectable()
export class MappingsService implements OnModuleInit {
  private readonly actions: Record<
    MappingAction,
    (transaction: Transaction, row: Mapping, reason: string | null) => Promise<Outcome>
  > = {
    apply: (transaction, row, reason) => this.begin('apply', transaction, row, reason),
    retry: (transaction, row, reason) => this.begin('retry', transaction, row, reason),
    cancel: (transaction, row, reason) => this.cancel(transaction, row, reason),
  };

  constructor(
    private readonly candidates: CandidatesService,
    private readonly employees: EmployeesService,
    private readonly drafts: MappingDrafts,
    private readonly runs: MappingRuns,
    private readonly templates: MappingTemplatesService,
    private readonly rights: MappingRights,
    private readonly checks: ValueChecks,
    private readonly fields: MappingFields,
    private readonly employee: MappedEmployee,
    private readonly invitations: MappingInvitations,
    private readonly undo: MappingUndo,
    private readonly sights: RecordSights,
  ) {}

  onModuleInit(): void {
    this.sights.add(mappings.type, (id) => this.get(id));
  }

  async list({ include = [], ...query }: Record<string, unknown> & { include?: string[] }): Promise<TalentMappings> {
    const request = toListRequest(mappingList, query);
    const { data, page } = await this.runs.objects.rows.page(request, mappingList, this.rights.within(READ));
    const templates = include.includes('templates') ? { templates: await this.templates.list() } : {};
    return { data: data.map(shown), ...templates, page, fields: await this.fields.catalogue() };
  }

  /** @throws Problem 404. */
  async get(id: string): Promise<ShownMapping> {
    const permission = reachOf(READ) === null ? WRITE : READ; // writers see the responses to their own requests again
    const row = await this.runs.objects.rows.find(id, this.rights.within(permission));
    if (!row) throw Problem.notFound();
    return shown(row);
  }

  /** @throws Problem 400, 403, 409 `mapping_exists` or `record_locked`. */
  async create(input: MappingInput): Promise<ShownMapping> {
    const draft = await this.draftOf(input);
    return this.checks.explained(() =>
      this.drafts.unit(async (transaction) => {
        await this.checks.require(transaction, '/values', input.values ?? {});
        return shown(this.drafts.add(transaction, draft));
      }),
    );
  }

  /** What a mapping would create. @throws Problem as {@link create}. */
  async preview(input: MappingInput): Promise<MappingPreview> {
    const { sources, values, plan, templateId, missing } = await this.draftOf(input);
    const body = await this.employee.bodyOf(sources, values, plan);
    const { email } = sources.candidate;
    return {
      templateId,
      missing,
      employee: this.readable(body),
      invitation: plan.createMembership ? await this.plannedInvitation(values, plan, email) : null,
    };
  }

  /** Sets values, and takes an action. @throws Problem 400, 403, 404, 409, 412. */
  async change(input: ChangeTalentMapping): Promise<ChangedTalentMapping> {
    const { id, values, action, reason = null } = input;
    return this.checks.explained(() =>
      this.drafts.unit(async (transaction) => {
        const { objects } = this.runs;
        const before = await objects.lock(transaction, id, this.rights.within(WRITE));
        await requireCommand(changeMapping, input, before, (permission) => this.requireFor(before, permission));
        const row = values ? await this.edit(transaction, before, values, reason) : before;
        const [after, effects] = action ? await this.actions[action](transaction, row, reason) : [row, []];
        return { ...shown(after), effects };
      }),
    );
  }

  private async draftOf({ candidateId, ...input }: MappingInput): Promise<MappingDraft> {
    const candidate = await this.candidates.records.readFor(candidateId, WRITE).catch((error: unknown) => {
      throw error instanceof Problem && error.status === 404 ? Problem.unknownReference('/candidateId') : error;
    });
    if (candidate.employeeId !== null) throw new Problem('record_locked', 'The candidate is an employee already.');
    return this.drafts.draft({ candidateId, applicationId: candidate.applicationId! }, input); // every candidate has one
  }

  private async edit(
    transaction: Transaction,
    row: Mapping,
    values: ChangeTalentMapping['values'],
    reason: string | null,
  ) {
    requireEditable(row.status);
    await this.checks.require(transaction, '/values', values!);
    return this.drafts.edit(transaction, row, values!, { reason });
  }

  private async begin(
    action: 'apply' | 'retry',
    transaction: Transaction,
    row: Mapping,
    reason: string | null,
  ): Promise<Outcome> {
    requireHired(await this.candidates.records.readPlainly(row.candidateId), row.applicationId);
    requirePossible(mappingLife, action, row.status, lackOf(action, row.missing));
    const plan = await this.templates.planOf(row.templateId);
    await this.rights.requireAll(transaction, row, plan);
    const after = await this.runs.begin(transaction, row, plan, { reason });
    const open = after.steps.filter(({ status }) => status !== 'done' && status !== 'skipped');
    return [after, open.map(({ key }) => ({ key, status: 'planned', target: null }))];
  }

  private async cancel(transaction: Transaction, row: Mapping, reason: string | null): Promise<Outcome> {
    requirePossible(mappingLife, 'cancel', row.status);
    if (hasBegun(row.status)) await this.requireFor(row, APPLY.permission);
    if (row.status === 'applying' || row.status === 'applied') await this.undo.refuseBegun(row);
    const undone = hasBegun(row.status) ? await this.runs.revert(transaction, row) : [];
    return [this.runs.cancel(transaction, row, { reason }), undone.map(effectOf)];
  }

  /** @throws Problem 403 unless a permission reaches the candidate. */
  private async requireFor({ id }: Mapping, permission: string): Promise<void> {
    requirePermission(permission, { withinReach: true });
    if (!(await this.runs.objects.rows.find(id, this.rights.within(permission)))) throw beyondReach(permission);
  }

  private async plannedInvitation(values: MappingDraft['values'], plan: MappingDraft['plan'], email: string | null) {
    const { startDate, workEmail, workspaceIds } = values;
    const schedule = startDate === null ? null : await this.invitations.scheduleOf(startDate, plan);
    const terms = { roleIds: rolesOf(values), workspaceIds };
    return { email: workEmail ?? email, ...terms, sendAt: schedule?.sendAt ?? null, validDays: schedule?.days ?? null };
  }

  /** The fields of an employee that the caller may read. */
  private readable(body: Record<string, unknown>): Record<string, unknown> {
    const hidden = (this.employees.records.definition.restricted ?? [])
      .filter(({ permission }) => reachOf(permission) !== 'tenant')
      .flatMap(({ fields }) => fields);
    return Object.fromEntries(Object.entries(body).filter(([field]) => !hidden.includes(field)));
  }
}

function effectOf({ key, isUndone, target }: Undone): MappingEffect {
  return { key, status: isUndone ? 'reverted' : 'kept', target };
}

function shown({ tenantId: _t, startDate: _s, given: _g, promise: _p, ...row }: Mapping): ShownMapping {
  return { ...row, object: mappings.type };
}
