import { Injectable } from '@nestjs/common';
import { holds } from '#libs/auth/current-principal.js';
import { breaksConstraint } from '#libs/database/failures.js';
import { TenantMemory } from '#libs/database/memory.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Asked, Decisions, Input } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { Records } from '#libs/resource/records/records.js';
import { CHECK_NOW } from '#libs/resource/records/rehearsal.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentScope, currentTenant, runAsSystem } from '#libs/tenancy/scope.js';
import { Pipeline, type PipelineAction, type PipelinePatch, pipelines, type ShownPipeline } from './pipeline.js';
import { dealOf, defaultId, lockDefaultId, moveTrash } from './pipeline.queries.js';
import { checkedStages, DEFAULT_STAGES } from './pipeline.stages.js';
import { firstStages, type StageHolder, vacate } from './stage-removal.js';

const LOCK_TRIES = 20;
const MAX_OFFERED = 200;
/** Constraints that fail if two requests create a tenant's first pipeline concurrently. */
const FIRST_PIPELINE_KEYS = ['sales_pipelines_default_key', 'sales_pipelines_tenant_id_reference_key'];

/** Pipelines and their stages. A tenant has exactly one default pipeline from its first use of sales. */
@Injectable()
export class PipelinesService implements Decisions<Pipeline, ShownPipeline, PipelineAction> {
  readonly constraints = {
    sales_deals_stage_of_pipeline: () =>
      new Problem('in_use', 'Deals have just entered a stage that would go or change its category; try again.'),
  };
  readonly records: Records<Pipeline, ShownPipeline, PipelineAction>;
  private readonly repository: ResourceRepository<Pipeline>;
  private readonly known = new TenantMemory<Pipeline>(5_000);
  private holder: StageHolder | null = null;

  constructor(private readonly kit: ResourceKit) {
    this.repository = kit.rows(Pipeline);
    this.records = Records.of(pipelines, kit, this, this.repository);
  }

  /** Registers the deals of the pipelines. */
  heldBy(holder: StageHolder): void {
    this.holder = holder;
  }

  /** The pipeline with an id, or the default one. Cached per process. @throws Problem 400 for an unknown id. */
  async resolve(id: string | null): Promise<Pipeline> {
    const pipeline = await this.named(id);
    if (!pipeline) throw unknownPipeline();
    return pipeline;
  }

  /** Like {@link resolve}, for an id from the caller; `present` already has a pipeline. Others may not be archived. */
  async choose(id: string | null, present: { pipelineId: string } | null = null): Promise<Pipeline> {
    if (present?.pipelineId === id) return this.resolve(id);
    const pipeline = await this.shown(id);
    if (!pipeline) throw unknownPipeline();
    if (pipeline.archivedAt !== null) throw unknownPipeline('The pipeline is archived.');
    return pipeline;
  }

  /** The pipeline with an id if visible to the caller, or the default one; null for an unknown id. */
  async shown(id: string | null): Promise<Pipeline | null> {
    const mayHide = id !== null && this.records.visible() !== null;
    return mayHide && !(await this.records.find(id)) ? null : this.named(id);
  }

  /** The pipelines for new deals that the caller may read, at most 200, the oldest first. */
  async offered(): Promise<ShownPipeline[]> {
    return holds(pipelines.permissions.read) ? (await this.records.list({ limit: MAX_OFFERED })).data : [];
  }

  /** Creates the default pipeline before the first list. */
  async ready(query?: Input): Promise<void> {
    if (query) await this.defaultPipeline();
  }

  draft(input: Partial<Pipeline>): Draft<Pipeline> {
    return { ...input, stages: checkedStages(input.stages ?? DEFAULT_STAGES) } as Draft<Pipeline>; // the body has a name
  }

  async edit(row: Pipeline, { moveTo, ...patch }: PipelinePatch): Promise<Partial<Pipeline>> {
    if (patch.isDefault === false && row.isDefault)
      throw new Problem('in_use', 'Make another pipeline the default one in place of this.');
    const stages = patch.stages && checkedStages(patch.stages);
    if (!stages && moveTo !== undefined) throw moveToAlone();
    if (stages)
      await this.records.unit((transaction) => vacate(transaction, row, { stages, moveTo, holder: this.holder! }));
    return { ...patch, ...(stages ? { stages } : {}) };
  }

  /** Fails while only the change of the pipeline would be undone. */
  async saved(transaction: Transaction): Promise<void> {
    await transaction.query(CHECK_NOW);
  }

  /** Locks the previous default pipeline before another one replaces it. */
  async around<T>({ id, input }: Asked, work: (input: Input) => Promise<T>): Promise<T> {
    if (input['isDefault'] !== true) return work(input);
    await this.defaultPipeline();
    return this.records.unit(async (transaction) => {
      const before = await this.lockDefault(transaction);
      if (before.id !== id) await this.records.rows.apply(transaction, before, { isDefault: false }, 'updated');
      return work(input);
    });
  }

  async prepare(transaction: Transaction, row: Pipeline, action: PipelineAction): Promise<Pipeline> {
    if (action === 'unarchive') return row;
    if (row.isDefault)
      throw new Problem('in_use', `The default pipeline cannot be ${action}d; make another one the default.`);
    if (action === 'archive') return row;
    if ((await transaction.query(dealOf(row.id))).length > 0)
      throw new Problem(
        'in_use',
        'Deals are in the pipeline; move them to another one first, or archive the pipeline.',
      );
    const heir = await this.defaultPipeline();
    for (const stage of firstStages(heir.stages)) transaction.write(moveTrash(row.id, heir.id, stage));
    return row;
  }

  /** Like {@link resolve}; null for an unknown id. */
  private named(id: string | null): Promise<Pipeline | null> {
    return this.known.get(async () => {
      const pipeline = id === null ? await this.defaultPipeline() : await this.repository.find(id);
      return pipeline?.deletedAt === null ? pipeline : null;
    }, id ?? 'default');
  }

  /** Concurrent requests may change the default, so it is read again after waiting for the lock. */
  private async lockDefault(transaction: Transaction): Promise<Pipeline> {
    for (let tries = 0; tries < LOCK_TRIES; tries++) {
      const [found] = await transaction.query<{ id: string }>(lockDefaultId());
      if (found) return (await this.repository.lock(transaction, found.id))!;
    }
    throw new Problem('unavailable', 'The default pipeline is being changed by others; try again.');
  }

  private async defaultPipeline(): Promise<Pipeline> {
    const found = await this.findDefault();
    if (found) return found;
    const { requestId, transaction } = currentScope();
    const open = transaction as Transaction | null; // libs/tenancy does not know the class
    await runAsSystem(currentTenant(), 'platform', requestId, () => this.addFirst(open)).catch((error: unknown) => {
      if (!FIRST_PIPELINE_KEYS.some((key) => breaksConstraint(error, key))) throw error; // another request was faster
    });
    return (await this.findDefault())!;
  }

  private async findDefault(): Promise<Pipeline | null> {
    const [found] = await this.kit.database.read<{ id: string }>(defaultId());
    return found ? this.repository.find(found.id) : null;
  }

  /** Runs in its own transaction, unless one is already open. */
  private async addFirst(open: Transaction | null): Promise<void> {
    const { rows } = this.records;
    const row = rows.complete({ name: 'Sales', isDefault: true, stages: DEFAULT_STAGES }, `${pipelines.prefix}-000000`);
    const statements: Statement[] = [];
    rows.insert({ write: (each) => statements.push(each) }, row);
    if (open === null) await this.kit.database.aside(statements);
    else await open.savepoint(() => sendAll(open, statements));
  }
}

async function sendAll(transaction: Transaction, statements: Statement[]): Promise<void> {
  for (const each of statements) await transaction.query(each);
}

function unknownPipeline(detail = 'There is no such pipeline.'): Problem {
  return Problem.validation([{ pointer: '/pipelineId', code: 'unknown_reference', detail }]);
}

function moveToAlone(): Problem {
  return Problem.validation([{ pointer: '/moveTo', code: 'invalid_value', detail: 'Send `moveTo` with `stages`.' }]);
}
