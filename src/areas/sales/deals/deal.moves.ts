import type { Transaction } from '#libs/database/transaction.js';
import { didYouMean } from '#libs/http/problems/hints.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Records } from '#libs/resource/records/records.js';
import type { TenantSettings } from '#libs/settings/tenant-settings.js';
import type { PipelineStage } from '../pipelines/pipeline.stages.js';
import type { PipelinesService } from '../pipelines/pipelines.service.js';
import type { ChangeDealPipeline, LoseDeal, MoveDeal, ReopenDeal, WinDeal } from './deal.actions.js';
import type { AcceptedProposals, DealHolds } from './deal.holds.js';
import type { Deal, ShownDeal } from './deal.js';
import type { DealAction } from './deal.lifecycle.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { closingStage, enter, overrides, requireFields, stageOf, startingStage } from './deal.stages.js';

/** Changes made by the actions that move deals between stages. */
export class DealMoves {
  constructor(
    private readonly deals: Records<Deal, ShownDeal, DealAction>,
    private readonly pipelines: PipelinesService,
    private readonly settings: TenantSettings,
    private readonly holds: DealHolds,
    private readonly accepted: AcceptedProposals,
  ) {}

  async move(row: Deal, input: MoveDeal): Promise<Partial<Deal>> {
    const pipeline = await this.pipelines.resolve(row.pipelineId);
    const stage = stageOf(pipeline, input.stage);
    if (stage.key === row.stage) throw this.refusal(row, 'move', 'The deal is in that stage already.');
    if (stage.category !== 'open')
      throw this.refusal(
        row,
        'move',
        `A deal gets into a ${stage.category} stage by ${stage.category === 'won' ? 'win' : 'lose'}.`,
      );
    requireFields(row, stage);
    return { ...enter(stage, this.now()), ...overrides(input) };
  }

  /** Moves locked deals to a stage of their category. An open deal enters it; a closed one keeps all else. */
  async place(transaction: Transaction, rows: readonly Deal[], stage: PipelineStage): Promise<void> {
    for (const row of rows) {
      const changes = row.status === 'open' ? enter(stage, this.now()) : { stage: stage.key };
      await this.deals.rows.apply(transaction, row, changes, 'stage_changed', { move: 'move' });
    }
  }

  async changePipeline(row: Deal, input: ChangeDealPipeline): Promise<Partial<Deal>> {
    if (input.pipelineId === row.pipelineId)
      throw this.refusal(row, 'change_pipeline', 'The deal is in that pipeline already.');
    const pipeline = await this.pipelines.choose(input.pipelineId);
    const stage = startingStage(pipeline, input.stage);
    if (stage.category !== 'open')
      throw this.refusal(row, 'change_pipeline', 'The deal stays open: name an open stage.');
    requireFields(row, stage);
    return { pipelineId: pipeline.id, ...enter(stage, this.now()) };
  }

  async win(row: Deal, { closedAt, force }: WinDeal): Promise<Partial<Deal>> {
    const stage = closingStage(await this.pipelines.resolve(row.pipelineId), 'won');
    if (!force) requireFields(row, stage);
    const acceptedProposalIds = await this.accepted(row.id);
    return { ...enter(stage, this.now()), closedAt: this.closing(closedAt), acceptedProposalIds };
  }

  async lose(row: Deal, input: LoseDeal): Promise<Partial<Deal>> {
    await this.requireReason(input.lostReason);
    const stage = closingStage(await this.pipelines.resolve(row.pipelineId), 'lost');
    await this.holds.failed(row.id, 'The deal was lost.', 'lose');
    return {
      ...enter(stage, this.now()),
      closedAt: this.closing(input.closedAt),
      lostReason: input.lostReason,
      lostNotes: input.lostNotes ?? null,
      competitor: input.competitor ?? null,
      handoffId: null,
    };
  }

  async reopen(row: Deal, input: ReopenDeal): Promise<Partial<Deal>> {
    const { dealReopenDays } = (await this.settings.get()).sales;
    if (this.nowMs() - Date.parse(row.closedAt!) > dealReopenDays * DAY_MS)
      throw new Problem(
        'reopen_window_passed',
        `A deal can be opened again for ${dealReopenDays} days after it was closed.`,
      );
    await this.holds.refuseHeld(row.id, 'reopen');
    const stage = startingStage(await this.pipelines.resolve(row.pipelineId), input.stage);
    if (stage.category !== 'open') throw this.refusal(row, 'reopen', 'A deal is opened again into an open stage.');
    await this.holds.failed(row.id, 'The deal was reopened.', 'reopen');
    const open = { closedAt: null, lostReason: null, lostNotes: null, competitor: null, handoffId: null };
    return { ...enter(stage, this.now()), ...open, acceptedProposalIds: [] };
  }

  /** @throws Problem 400 for a reason that the tenant's settings do not list. */
  async requireReason(reason: string): Promise<void> {
    const { lostReasons } = (await this.settings.get()).sales;
    if (lostReasons.length === 0 || lostReasons.includes(reason)) return;
    const detail = `The value must be one of ${lostReasons.join(', ')}.${didYouMean(reason, lostReasons)}`;
    throw Problem.validation([{ pointer: '/lostReason', code: 'invalid_value', detail }]);
  }

  private closing(closedAt: string | undefined): string {
    if (closedAt !== undefined && Date.parse(closedAt) > this.nowMs())
      throw Problem.validation([
        { pointer: '/closedAt', code: 'out_of_range', detail: 'The deal cannot be closed in the future.' },
      ]);
    return new Date(closedAt ?? this.nowMs()).toISOString();
  }

  private refusal(row: Deal, action: DealAction, detail: string): Problem {
    return this.deals.rules.refusal(row, action, detail);
  }

  private now(): string {
    return this.deals.rows.now();
  }

  private nowMs(): number {
    return this.deals.kit.clock.nowMs();
  }
}
