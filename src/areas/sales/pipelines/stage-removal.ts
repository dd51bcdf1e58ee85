import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Pipeline } from './pipeline.js';
import { DEFER_STAGES, moveTrash } from './pipeline.queries.js';
import { type PipelineStage, type StageCategory } from './pipeline.stages.js';

/** Deals that one request moves out of removed stages. */
const MAX_MOVED = 1_000;

/** A deal in a stage that is removed. */
export interface HeldDeal {
  id: string;
  status: StageCategory;
}

/** The deals of pipelines. Both functions run in the open transaction. */
export interface StageHolder<D extends HeldDeal = HeldDeal> {
  /** Locks deals of a pipeline outside the trash, in none of the stages, each given with its category. */
  lockBesides(
    transaction: Transaction,
    pipelineId: string,
    kept: readonly PipelineStage[],
    limit: number,
  ): Promise<D[]>;
  /** Moves locked deals to another stage of their category. */
  place(transaction: Transaction, deals: readonly D[], stage: PipelineStage): Promise<void>;
}

/**
 * Moves the deals of the stages that a pipeline loses to the stage `moveTo`. Deals in the trash move to the first stage
 * of their category.
 * @throws Problem 400 for a target of another category, 409 `in_use` without a target or for too many deals.
 */
export async function vacate(
  transaction: Transaction,
  { id }: Pipeline,
  change: { stages: readonly PipelineStage[]; moveTo: string | undefined; holder: StageHolder },
): Promise<void> {
  const { stages, moveTo, holder } = change;
  transaction.write(DEFER_STAGES);
  const held = await holder.lockBesides(transaction, id, stages, MAX_MOVED + 1);
  const target = stages.find(({ key }) => key === moveTo);
  if (moveTo !== undefined && !target) throw invalid('unknown_stage', 'Name one of the stages that the pipeline gets.');
  if (held.length > 0 && !target)
    throw new Problem(
      'in_use',
      'Deals are in a stage that would go or change its category: name another one in `moveTo`.',
    );
  if (held.length > MAX_MOVED)
    throw new Problem('in_use', `More than ${MAX_MOVED} deals are in these stages; move some of them first.`);
  const other = held.find(({ status }) => status !== target?.category);
  if (other)
    throw invalid('invalid_value', `Deals in these stages are ${other.status}: name a stage of this category.`);
  if (target) await holder.place(transaction, held, target);
  for (const stage of firstStages(stages)) transaction.write(moveTrash(id, id, stage, keysOf(stages, stage.category)));
}

/** The first stage of each category. */
export function firstStages(stages: readonly PipelineStage[]): PipelineStage[] {
  return stages.filter(({ category }, at) => stages.findIndex((each) => each.category === category) === at);
}

function keysOf(stages: readonly PipelineStage[], category: StageCategory): string[] {
  return stages.filter((stage) => stage.category === category).map(({ key }) => key);
}

function invalid(code: string, detail: string): Problem {
  return Problem.validation([{ pointer: '/moveTo', code, detail }]);
}
