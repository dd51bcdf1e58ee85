import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { breaksConstraint } from '#libs/database/failures.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Page } from '#libs/resource/resource.repository.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import { currentScope, currentTenant, runAsSystem } from '#libs/tenancy/scope.js';
import type { PipelineView } from './pipeline.dto.js';
import { Pipeline } from './pipeline.entity.js';
import { pipelineResource } from './pipeline.resource.js';
import { completeStages, DEFAULT_STAGES, stageViolations, type PipelineStage } from './pipeline.stages.js';
import { PipelinesRepository } from './pipelines.repository.js';

type Input = Record<string, unknown>;

const LOCK_TRIES = 20;
/** Constraints of which two first pipelines of a tenant break one. */
const FIRST_PIPELINE_KEYS = ['sales_pipelines_default_key', 'sales_pipelines_tenant_id_reference_key'];

/** Pipelines and their stages. A tenant has exactly one default pipeline from its first use of sales on. */
@Injectable()
export class PipelinesService extends ResourceService<Pipeline, PipelineView, 'delete'> {
  protected override readonly constraints = {
    sales_deals_stage_of_pipeline: () =>
      new Problem('in_use', 'Deals are in a stage that would go or change its category; move them first.'),
  };
  /** Keyed by tenant and epoch: any change of a pipeline raises the epoch, so an old entry is never used. */
  private readonly known = new LRUCache<string, Pipeline>({ max: 5_000 });

  constructor(
    kit: ResourceKit,
    protected override readonly repository: PipelinesRepository,
  ) {
    super(pipelineResource, kit, repository);
  }

  /** The pipeline with an id, or the default one. Remembered per process. @throws Problem 400 for an unknown id. */
  async resolve(id: string | null): Promise<Pipeline> {
    const pipeline = await this.named(id);
    if (!pipeline) throw unknownPipeline();
    return pipeline;
  }

  /** As {@link resolve}, for what the caller says; `present` is in a pipeline already. */
  async choose(id: string | null, present: { pipelineId: string } | null = null): Promise<Pipeline> {
    const pipeline = present?.pipelineId === id ? await this.resolve(id) : await this.shown(id);
    if (!pipeline) throw unknownPipeline();
    return pipeline;
  }

  /** The pipeline with an id, if the caller may see it, or the default one; null for an unknown id. */
  async shown(id: string | null): Promise<Pipeline | null> {
    const mayHide = id !== null && this.visible() !== null;
    return mayHide && !(await this.find(id)) ? null : this.named(id);
  }

  /** As {@link resolve}; null for an unknown id. */
  private async named(id: string | null): Promise<Pipeline | null> {
    const tenant = currentTenant();
    const key = `${tenant.id}|${tenant.epoch}|${id ?? 'default'}`;
    const cached = this.known.get(key);
    if (cached) return cached;
    const pipeline = id === null ? await this.defaultPipeline() : await this.repository.find(id);
    if (pipeline?.deletedAt !== null) return null;
    this.known.set(key, pipeline);
    return pipeline;
  }

  override async list(query: Input): Promise<Page<PipelineView>> {
    await this.defaultPipeline();
    return super.list(query);
  }

  protected override async draft(input: Input): Promise<Draft<Pipeline>> {
    return {
      name: input['name'] as string,
      isDefault: false,
      stages: checkedStages((input['stages'] as PipelineStage[] | undefined) ?? DEFAULT_STAGES),
    };
  }

  override async create(input: Input): Promise<PipelineView> {
    if (input['isDefault'] !== true) return super.create(input);
    await this.defaultPipeline();
    const row = await this.prepare(input);
    return this.unit(async (transaction) => {
      this.apply(transaction, await this.lockDefault(transaction), { isDefault: false }, 'updated');
      return this.add(transaction, { ...row, isDefault: true });
    });
  }

  protected override edit(_row: Pipeline, patch: Input): Partial<Pipeline> {
    return {
      ...('name' in patch ? { name: patch['name'] as string } : {}),
      ...('stages' in patch ? { stages: checkedStages(patch['stages'] as PipelineStage[]) } : {}),
    };
  }

  override async update(id: string, patch: Input): Promise<PipelineView> {
    const { isDefault, ...rest } = patch;
    if (isDefault === undefined) return super.update(id, rest);
    await this.defaultPipeline();
    return this.unit(async (transaction) => {
      const before = await this.lockDefault(transaction);
      const row = await this.lock(transaction, id);
      this.refuseLocked(row);
      if (!isDefault && row.isDefault)
        throw new Problem('in_use', 'Make another pipeline the default one in place of this.');
      if (isDefault && before.id !== id) this.apply(transaction, before, { isDefault: false }, 'updated');
      return this.apply(transaction, row, { ...this.edit(row, rest), isDefault: isDefault === true }, 'updated');
    });
  }

  protected override async transit(
    transaction: Transaction,
    row: Pipeline,
    action: 'delete',
    input: Input,
  ): Promise<PipelineView> {
    if (row.isDefault)
      throw new Problem('in_use', 'The default pipeline cannot be deleted; make another one the default.');
    if (await this.repository.isUsed(transaction, row.id))
      throw new Problem('in_use', 'Deals are in the pipeline; move them to another one first.');
    return super.transit(transaction, row, action, input);
  }

  /** Several requests may change the default at once: who waited for the lock looks again which one it is now. */
  private async lockDefault(transaction: Transaction): Promise<Pipeline> {
    for (let tries = 0; tries < LOCK_TRIES; tries++) {
      const found = await this.repository.lockDefault(transaction);
      if (found) return found;
    }
    throw new Problem('unavailable', 'The default pipeline is being changed by others; try again.');
  }

  /** In a transaction of its own, unless one is open already. */
  private async addFirst(open: Transaction | null): Promise<void> {
    const row = this.complete({ name: 'Sales', isDefault: true, stages: DEFAULT_STAGES }, 0);
    const statements: Statement[] = [];
    this.record(
      { write: (each) => statements.push(each) },
      { event: 'created', row, save: this.repository.insert(row) },
    );
    if (open === null) await this.kit.database.aside(statements);
    else await open.savepoint(() => sendAll(open, statements));
  }

  private async defaultPipeline(): Promise<Pipeline> {
    const found = await this.repository.findDefault();
    if (found) return found;
    const { requestId, transaction } = currentScope();
    const open = transaction as Transaction | null; // libs/tenancy does not know the class
    await runAsSystem(currentTenant(), 'platform', requestId, () => this.addFirst(open)).catch((error: unknown) => {
      if (!FIRST_PIPELINE_KEYS.some((key) => breaksConstraint(error, key))) throw error; // another request was faster
    });
    return (await this.repository.findDefault())!;
  }
}

async function sendAll(transaction: Transaction, statements: Statement[]): Promise<void> {
  for (const each of statements) await transaction.query(each);
}

function checkedStages(stages: PipelineStage[]): PipelineStage[] {
  const violations = stageViolations(stages);
  if (violations.length > 0) throw Problem.validation(violations);
  return completeStages(stages);
}

function unknownPipeline(): Problem {
  return Problem.validation([
    { pointer: '/pipelineId', code: 'unknown_reference', detail: 'There is no such pipeline.' },
  ]);
}
