import { Injectable, type OnModuleInit } from '@nestjs/common';
import { auditStatement, type Changes } from '#libs/audit/audit-entry.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Jobs } from '#libs/jobs/jobs.js';
import type { Job, JobStep } from '#libs/jobs/job.js';
import { NIL_UUID, uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { readStoredRule } from '#libs/resource/lists/stored-filter.js';
import type { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { Disposal, type DisposalOrder, type Disposed } from '#libs/resource/retention/disposal.js';
import { ExpiredRecords, type ExpiryPreview } from '#libs/resource/retention/expired-records.js';
import type { Disposition, ExpiryRule } from '#libs/resource/retention/expiry.js';
import { lockDeletions } from '#libs/resource/retention/holds.js';
import { PURGED_EVENTS } from '#libs/resource/retention/tombstone.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { policies, RetentionPolicy } from './retention-policy.js';
import { RetentionRun } from './retention-run.js';

const JOB = 'core.retention';
/** Records processed per transaction. */
const BATCH = 1_000;
/** Records that cannot be processed, after which a run gives up. */
const MAX_FAILED = 1_000;

/** Closes a run that failed or was cancelled. */
const CLOSE = `update data.retention_runs set finished_at = $3, examined = affected + failed
  where tenant_id = $1 and job_id = $2 and finished_at is null`;

type Policy = Pick<RetentionPolicy, 'object' | 'filter' | 'retainDays' | 'disposition'> & { id: string | null };

/** Parameters of a run, fixed at its start. `policyId` is null for the trash. */
interface RunInput extends Record<string, unknown> {
  runId: string;
  isTrash: boolean;
  policyId: string | null;
  types: string[];
  disposition: Disposition;
  days: number;
  filter: Record<string, string>;
  at: string;
}

/** Where a run continues: which type, after which record, and whether this pass over the type had an effect. */
interface Place extends Record<string, unknown> {
  type: number;
  after: string;
  affected: number;
}

const START: Place = { type: 0, after: NIL_UUID, affected: 0 };

/** Runs of retention policies and of the trash, as jobs. */
@Injectable()
export class RetentionRuns implements OnModuleInit {
  readonly rows: ResourceRepository<RetentionRun>;
  private readonly policies: ResourceRepository<RetentionPolicy>;

  constructor(
    private readonly kit: ResourceKit,
    private readonly jobs: Jobs,
    private readonly expired: ExpiredRecords,
    private readonly disposal: Disposal,
    private readonly settings: TenantSettings,
  ) {
    this.rows = kit.rows(RetentionRun);
    this.policies = kit.rows(RetentionPolicy);
    kit.registry.declareObject(PURGED_EVENTS);
  }

  onModuleInit(): void {
    this.jobs.register({
      kind: JOB,
      permission: 'retention:manage',
      onBehalf: { of: 'requester', asks: 'retention:manage' },
      step: (transaction, job) => this.step(transaction, job),
      ended: (transaction, { id }) => transaction.write(statement(CLOSE, [currentTenant().id, id, this.kit.now()])),
    });
  }

  /** What a run of a policy would do now. */
  async preview(policy: Policy): Promise<ExpiryPreview> {
    return this.expired.preview(
      policy.object,
      await this.ruleOf({ ...inputOf(policy), at: this.kit.now() }, policy.object),
    );
  }

  /** Starts a run of a policy as part of a transaction, or returns the one in progress. */
  async start(transaction: Transaction, policy: Policy & { id: string }): Promise<RetentionRun> {
    await this.policies.lock(transaction, policy.id);
    const [running] = await this.rows.all((add) => `t.policy_id = ${add(policy.id)} and t.finished_at is null`);
    if (running) return running;
    const input = { ...inputOf(policy), runId: uuidv7(), at: this.kit.now() };
    return this.begin(transaction, input, policy.object);
  }

  /** Starts to empty the trash, unless nothing in it has expired. */
  async emptyTrash(transaction: Transaction): Promise<void> {
    const { trashDays } = (await this.settings.get()).data;
    const input = { ...inputOf(null), days: trashDays, runId: uuidv7(), at: this.kit.now() };
    for (const { type } of this.kit.registry.all()) {
      const { wouldAffect, heldBack } = await this.expired.preview(type, await this.ruleOf(input, type));
      if (wouldAffect + heldBack > 0) input.types.push(type);
    }
    if (input.types.length > 0) this.begin(transaction, input, null);
  }

  /** The job counts its records itself, because that can take longer than a request may. */
  private begin(transaction: Transaction, input: RunInput, object: string | null): RetentionRun {
    const jobId = this.jobs.start(transaction, { kind: JOB, input, total: null, phase: input.disposition });
    const run: RetentionRun = {
      tenantId: currentTenant().id,
      id: input.runId,
      createdAt: input.at,
      policyId: input.policyId,
      object,
      disposition: input.disposition,
      jobId,
      ...{ examined: 0, affected: 0, heldBack: 0, inUse: 0, failed: 0, perType: {}, finishedAt: null },
    };
    transaction.write(this.rows.insert(run));
    this.audit(transaction, run, 'run_started', null);
    return run;
  }

  private async total(input: RunInput): Promise<number> {
    let total = 0;
    for (const type of input.types)
      total += (await this.expired.preview(type, await this.ruleOf(input, type))).wouldAffect;
    return total;
  }

  private async step(transaction: Transaction, job: Job): Promise<JobStep> {
    const input = job.input as RunInput;
    const run = (await this.rows.lock(transaction, input.runId))!;
    const failed = (job.state['failed'] as string[] | undefined) ?? [];
    if (failed.length > MAX_FAILED) throw new Error(`${failed.length} records could not be processed.`);
    const place = { ...START, ...(job.state as Partial<Place>) };
    const order: DisposalOrder = { ...input, at: this.kit.now() };
    transaction.write(lockDeletions());
    const type = input.types[place.type];
    const total = job.total ?? (await this.total(input));
    if (type === undefined) return this.finish(transaction, run, input, order);
    const rule = await this.ruleOf(input, type);
    const locked = await this.expired.lockNext(transaction, type, rule, { after: place.after, limit: BATCH });
    const ids = locked.ids.filter((id) => !failed.includes(id));
    const disposed = ids.length > 0 ? await this.disposal.dispose(transaction, type, ids, order) : NOTHING;
    const after = counted(run, disposed, ids.length - disposed.failed.length);
    transaction.write(this.rows.replace(after));
    return {
      isDone: false,
      done: after.affected,
      // Records in the trash may become free because records of other types have gone.
      total: Math.max(total, after.affected),
      phase: input.disposition,
      state: {
        ...next(place, { lastId: locked.lastId, affected: ids.length - disposed.failed.length }),
        failed: [...failed, ...disposed.failed],
      },
    };
  }

  private async finish(
    transaction: Transaction,
    run: RetentionRun,
    input: RunInput,
    order: DisposalOrder,
  ): Promise<JobStep> {
    if (order.disposition === 'delete') await this.disposal.forgetDerived(transaction, order);
    const after = { ...run, heldBack: 0, inUse: 0, finishedAt: order.at };
    for (const type of input.types) {
      const { heldBack, inUse } = await this.expired.left(type, await this.ruleOf(input, type));
      after.heldBack += heldBack;
      after.inUse += inUse;
    }
    after.examined = after.affected + after.heldBack + after.inUse + after.failed;
    transaction.write(this.rows.replace(after));
    const { examined, affected, heldBack, inUse, failed, perType } = after;
    const figures = { examined, affected, heldBack, inUse, failed };
    const changes = Object.entries(figures).map(([field, to]) => [field, { from: null, to }] as const);
    this.audit(transaction, run, 'run_finished', Object.fromEntries(changes));
    return { isDone: true, done: affected, phase: null, result: { runId: run.id, ...figures, perType } };
  }

  private async ruleOf(
    { disposition, days, filter, isTrash, at }: Pick<RunInput, 'disposition' | 'days' | 'filter' | 'isTrash' | 'at'>,
    type: string,
  ): Promise<ExpiryRule> {
    const { definition } = this.kit.registry.ofType(type)!;
    const { request, violations } = await readStoredRule(this.kit, definition, filter);
    if (!request) throw Problem.validation(violations); // valid when it was stored
    return { disposition, days, filter: isTrash ? null : request, isTrash, at };
  }

  private audit(transaction: Transaction, run: RetentionRun, verb: string, changes: Changes | null): void {
    const target = { type: policies.type, id: run.policyId ?? run.id, name: run.object };
    const fact = {
      action: `${policies.type}.${verb}`,
      target,
      changes,
      outcome: 'success',
      riskLevel: 'high',
    } as const;
    transaction.write(auditStatement(currentScope(), fact, this.kit.now()));
  }
}

const NOTHING: Disposed = { records: [], failed: [] };

function inputOf(policy: Policy | null) {
  const none = { isTrash: true, policyId: null, types: [] as string[], disposition: 'delete' as Disposition, days: 0 };
  if (!policy) return { ...none, filter: {} };
  const { id, object, filter, retainDays, disposition } = policy;
  return { isTrash: false, policyId: id, types: [object], disposition, days: retainDays, filter };
}

function counted(run: RetentionRun, { records, failed }: Disposed, affected: number): RetentionRun {
  const perType = { ...run.perType };
  for (const { type } of records) perType[type] = (perType[type] ?? 0) + 1;
  return { ...run, affected: run.affected + affected, failed: run.failed + failed.length, perType };
}

/** Continues after a full batch. A pass with an effect is repeated, because other records may have become free. */
function next(place: Place, { lastId, affected }: { lastId: string | null; affected: number }): Place {
  const sum = place.affected + affected;
  if (lastId !== null) return { ...place, after: lastId, affected: sum };
  return sum > 0 ? { ...START, type: place.type } : { ...START, type: place.type + 1 };
}
