import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { HoldsService, refuseMissing } from './holds.service.js';
import { nextNight } from './nightly.js';
import { basisOf, RetentionPoliciesService } from './policies.service.js';
import type { RetentionPolicy } from './retention-policy.js';
import type { Retention, RetentionCommand, RetentionMinimum, RetentionPreview } from './retention.requests.js';
import { RetentionRuns } from './retention-runs.service.js';
import type { RetentionRun } from './retention-run.js';
import type { RunView } from './run.dto.js';

const RECENT = 20;
const NEWEST = { filters: {}, sorts: ['createdAt'], defaultSort: '-createdAt' };

/** Retention policies, their runs, and legal holds. */
@Injectable()
export class RetentionService {
  constructor(
    private readonly policies: RetentionPoliciesService,
    private readonly holds: HoldsService,
    private readonly runs: RetentionRuns,
    private readonly registry: ResourceRegistry,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async get(include: readonly string[]): Promise<Retention> {
    const policies = await Promise.all((await this.policies.list()).map((policy) => this.show(policy)));
    const minimums = this.registry.all().map(minimumOf);
    return {
      policies,
      minimums: minimums.sort((a, b) => (a.object < b.object ? -1 : 1)),
      ...(include.includes('holds') ? { holds: await this.holds.list() } : {}),
      ...(include.includes('runs') ? { runs: await this.recent(RECENT) } : {}),
    };
  }

  /** One transaction, so that the response is stored for the idempotency key. @throws Problem 400, 403, 404, 409. */
  run({ action = 'upsert_policy', ...input }: RetentionCommand): Promise<object> {
    return this.database.transaction(async (transaction) => {
      if (input.scope) await this.holds.expectKnown(transaction, input.scope);
      switch (action) {
        case 'upsert_policy':
          return this.show(await this.policies.upsert(input));
        case 'delete_policy':
          return this.policies.remove(input);
        case 'preview':
          return this.preview(input);
        case 'run_now':
          return this.runNow(transaction, input);
        case 'place_hold':
          return this.holds.place(input);
        case 'release_hold':
          return this.holds.release(input);
      }
    });
  }

  private async preview({ id, object }: RetentionCommand): Promise<RetentionPreview> {
    if (id !== undefined) return this.runs.preview(await this.policies.find(id));
    refuseMissing({ object });
    const policies = (await this.policies.list()).filter((policy) => policy.object === object);
    if (policies.length === 0) throw Problem.notFound();
    if (policies.length === 1) return this.runs.preview(policies[0]!);
    const detail = 'The type has several policies; send the id of one.';
    throw Problem.validation([{ pointer: '/id', code: 'required', detail }]);
  }

  private async runNow(transaction: Transaction, { id, confirm }: RetentionCommand): Promise<RunView> {
    refuseMissing({ id, confirm });
    if (confirm !== true)
      throw Problem.validation([{ pointer: '/confirm', code: 'invalid_value', detail: 'It must be true.' }]);
    const policy = await this.policies.find(id!);
    return showRun(await this.runs.start(transaction, policy));
  }

  private async show({ tenantId: _t, ...policy }: RetentionPolicy): Promise<ShownObject<RetentionPolicy>> {
    const definition = this.registry.ofType(policy.object)?.definition;
    const [lastRun = null] = await this.recent(1, policy.id);
    return {
      ...policy,
      basis: basisOf(definition?.data.retention ?? []),
      lastRun,
      nextRunAt: policy.enabled ? nextNight(this.clock.nowMs()) : null,
    };
  }

  private async recent(limit: number, policyId: string | null = null): Promise<RunView[]> {
    const request = { limit, cursor: null, sort: [{ field: 'createdAt', descending: true }], filters: [], q: null };
    const options = { ...request, includeArchived: true, includeDeleted: true, now: this.clock.now().toISOString() };
    const own = policyId === null ? null : (add: (value: unknown) => string) => `t.policy_id = ${add(policyId)}`;
    const { data } = await this.runs.rows.page(options, NEWEST, own);
    return data.map(showRun);
  }
}

function minimumOf({ type, data }: ReturnType<ResourceRegistry['all']>[number]): RetentionMinimum {
  return { object: type, basis: basisOf(data.retention), days: data.retainAtLeast };
}

function showRun({ tenantId: _t, createdAt: startedAt, ...run }: RetentionRun): RunView {
  return { ...run, mode: 'execute', startedAt };
}
