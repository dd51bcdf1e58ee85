import { Injectable } from '@nestjs/common';
import { bodyViolations } from '#libs/http/validation.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { type ActionHandler, ResourceService } from '#libs/resource/resource.service.js';
import { type StandardAction } from '#libs/resource/standard-actions.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { Pipeline } from '../pipelines/pipeline.entity.js';
import type { PipelineStage, RequirableField } from '../pipelines/pipeline.stages.js';
import { PipelinesService } from '../pipelines/pipelines.service.js';
import type {
  ChangeDealPipeline,
  CreateDeal,
  DealView,
  LoseDeal,
  MoveDeal,
  ReopenDeal,
  UpdateDeal,
  WinDeal,
} from './deal.dto.js';
import type { Deal } from './deal.entity.js';
import type { DealAction } from './deal.lifecycle.js';
import { dealResource } from './deal.resource.js';
import { valueMinorOf, valueOf, weighted } from './deal.value.js';
import { DealsRepository } from './deals.repository.js';

type Input = Record<string, unknown>;
type OwnAction = Exclude<DealAction, StandardAction>;

const DAY_MS = 86_400_000;
/** Days in which a closed deal can be opened again. */
const REOPEN_DAYS = 30;
const PLAIN_FIELDS = [
  'name',
  'currency',
  'forecastCategory',
  'expectedCloseDate',
  'dealType',
  'source',
  'recurring',
  'renewalOfDealId',
  'nextStep',
  'nextStepDate',
] as const;
const LOST_FIELDS = ['lostReason', 'lostNotes', 'competitor'] as const;
const TRANSITION_FIELDS = ['status', 'stage', 'pipelineId', 'closedAt', 'reason'] as const;

/** Sales deals. `Source:` domain document "core", section 4. */
@Injectable()
export class DealsService extends ResourceService<Deal, DealView, DealAction> {
  protected override readonly handlers: Record<OwnAction, ActionHandler<Deal>> = {
    move: (row, input: MoveDeal) => this.move(row, input),
    change_pipeline: (row, input: ChangeDealPipeline) => this.changePipeline(row, input),
    win: (row, input: WinDeal) => this.win(row, input),
    lose: (row, input: LoseDeal) => this.lose(row, input),
    reopen: (row, input: ReopenDeal) => this.reopen(row, input),
  };
  protected override readonly constraints = {
    sales_deals_renewal_of: () => invalid('/renewalOfDealId', 'unknown_deal', 'There is no such deal.'),
    sales_deals_stage_of_pipeline: () => invalid('/stage', 'unknown_stage', 'The stage has just been removed.'),
  };

  constructor(
    kit: ResourceKit,
    repository: DealsRepository,
    private readonly pipelines: PipelinesService,
  ) {
    super(dealResource, kit, repository);
  }

  /** A patch with `status`, `stage` or `pipelineId` is shorthand for the transition; anything else is an edit. */
  override async update(id: string, patch: Input): Promise<DealView> {
    const action = shorthandOf(patch);
    if (!action) return super.update(id, patch);
    const { status: _, ...input } = patch;
    const violations = bodyViolations(dealResource.inputs[action]!, input);
    if (violations.length > 0) throw Problem.validation(violations.map(asNotWithTransition));
    return this.act(action, id, input);
  }

  protected override stateOf(row: Deal): string {
    return row.status;
  }

  protected override stageOf(row: Deal): { stage: string } {
    return { stage: row.stage };
  }

  protected override derive(row: Deal): Partial<DealView> {
    const nowMs = this.kit.clock.nowMs();
    return {
      value: valueOf(row.valueMinor, row.currency),
      weightedValueMinor: weighted(row.valueMinor, row.probability),
      daysInStage: Math.max(0, Math.floor((nowMs - Date.parse(row.stageEnteredAt)) / DAY_MS)),
      isStale: row.status === 'open' && row.staleAt !== null && Date.parse(row.staleAt) <= nowMs,
    };
  }

  protected override async draft(body: Input): Promise<Draft<Deal>> {
    const input = body as unknown as CreateDeal; // validated against it
    const pipeline = await this.pipelines.resolve(input.pipelineId ?? null);
    const stage = input.stage === undefined ? firstOpen(pipeline) : stageOf(pipeline, input.stage);
    if (stage.category !== 'open') throw invalid('/stage', 'stage_not_open', 'A new deal starts in an open stage.');
    const currency = input.currency ?? currentTenant().currency;
    return {
      name: input.name,
      currency,
      valueMinor: valueMinorOf(input, currency) ?? null,
      pipelineId: pipeline.id,
      ...enter(stage, this.now()),
      ...overrides(input),
      expectedCloseDate: input.expectedCloseDate ?? null,
      dealType: input.dealType ?? 'new_business',
      source: input.source ?? 'other',
      recurring: input.recurring ?? null,
      renewalOfDealId: input.renewalOfDealId ?? null,
      nextStep: input.nextStep ?? null,
      nextStepDate: input.nextStepDate ?? null,
      lostReason: null,
      lostNotes: null,
      competitor: null,
      closedAt: null,
    };
  }

  protected override edit(row: Deal, body: Input): Partial<Deal> {
    const patch = body as Partial<InstanceType<typeof UpdateDeal>> & Partial<CreateDeal>;
    const misplaced = [...TRANSITION_FIELDS, ...(row.status === 'lost' ? [] : LOST_FIELDS)].filter(
      (each) => each in body,
    );
    if (misplaced.length > 0) throw Problem.validation(misplaced.map(onlyWithStatus));
    if ('probability' in body && row.status !== 'open')
      throw new Problem('record_locked', `The probability of a ${row.status} deal is fixed.`);
    if (patch.renewalOfDealId === row.id)
      throw invalid('/renewalOfDealId', 'invalid_value', 'A deal cannot renew itself.');
    const valueMinor = valueMinorOf(patch, patch.currency ?? row.currency);
    return {
      ...pick(body, [...PLAIN_FIELDS, ...LOST_FIELDS, 'probability']),
      ...(valueMinor === undefined ? {} : { valueMinor }),
    };
  }

  private async move(row: Deal, input: MoveDeal): Promise<Partial<Deal>> {
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

  private async changePipeline(row: Deal, input: ChangeDealPipeline): Promise<Partial<Deal>> {
    if (input.pipelineId === row.pipelineId)
      throw this.refusal(row, 'change_pipeline', 'The deal is in that pipeline already.');
    const pipeline = await this.pipelines.resolve(input.pipelineId);
    const stage = input.stage === undefined ? firstOpen(pipeline) : stageOf(pipeline, input.stage);
    if (stage.category !== 'open')
      throw this.refusal(row, 'change_pipeline', 'The deal stays open: name an open stage.');
    requireFields(row, stage);
    return { pipelineId: pipeline.id, ...enter(stage, this.now()) };
  }

  private async win(row: Deal, { closedAt }: WinDeal): Promise<Partial<Deal>> {
    const pipeline = await this.pipelines.resolve(row.pipelineId);
    const stage = pipeline.stages.find((each) => each.category === 'won')!;
    requireFields(row, stage);
    return { ...enter(stage, this.now()), closedAt: this.closing(closedAt) };
  }

  private async lose(row: Deal, input: LoseDeal): Promise<Partial<Deal>> {
    const pipeline = await this.pipelines.resolve(row.pipelineId);
    const stage = pipeline.stages.find((each) => each.category === 'lost')!;
    return {
      ...enter(stage, this.now()),
      closedAt: this.closing(input.closedAt),
      lostReason: input.lostReason,
      lostNotes: input.lostNotes ?? null,
      competitor: input.competitor ?? null,
    };
  }

  private async reopen(row: Deal, input: ReopenDeal): Promise<Partial<Deal>> {
    if (this.kit.clock.nowMs() - Date.parse(row.closedAt!) > REOPEN_DAYS * DAY_MS)
      throw new Problem(
        'reopen_window_passed',
        `A deal can be opened again for ${REOPEN_DAYS} days after it was closed.`,
      );
    const pipeline = await this.pipelines.resolve(row.pipelineId);
    const stage = input.stage === undefined ? firstOpen(pipeline) : stageOf(pipeline, input.stage);
    if (stage.category !== 'open') throw this.refusal(row, 'reopen', 'A deal is opened again into an open stage.');
    return { ...enter(stage, this.now()), closedAt: null, lostReason: null, lostNotes: null, competitor: null };
  }

  private closing(closedAt: string | undefined): string {
    const nowMs = this.kit.clock.nowMs();
    if (closedAt !== undefined && Date.parse(closedAt) > nowMs)
      throw invalid('/closedAt', 'out_of_range', 'The deal cannot be closed in the future.');
    return new Date(closedAt ?? nowMs).toISOString();
  }
}

/** What a deal takes over from a stage that it enters. */
function enter(stage: PipelineStage, at: string) {
  const { rottenAfterDays } = stage;
  return {
    stage: stage.key,
    status: stage.category,
    probability: stage.probability,
    forecastCategory: stage.forecastCategory,
    stageEnteredAt: at,
    staleAt: rottenAfterDays === null ? null : new Date(Date.parse(at) + rottenAfterDays * DAY_MS).toISOString(),
  };
}

function overrides(input: Pick<MoveDeal, 'probability' | 'forecastCategory'>): Partial<Deal> {
  return pick(input as object as Input, ['probability', 'forecastCategory']);
}

function pick(from: Input, fields: readonly string[]): Partial<Deal> {
  return Object.fromEntries(fields.filter((field) => from[field] !== undefined).map((field) => [field, from[field]]));
}

function firstOpen(pipeline: Pipeline): PipelineStage {
  return pipeline.stages.find((stage) => stage.category === 'open')!;
}

function stageOf(pipeline: Pipeline, key: string): PipelineStage {
  const stage = pipeline.stages.find((each) => each.key === key);
  if (!stage)
    throw invalid(
      '/stage',
      'unknown_stage',
      `The pipeline has the stages ${pipeline.stages.map((each) => each.key).join(', ')}.`,
    );
  return stage;
}

/** @throws Problem 409 `required_fields_missing` naming what the stage needs and the deal lacks. */
function requireFields(row: Deal, stage: PipelineStage): void {
  const value = (field: RequirableField) => (field === 'value' ? row.valueMinor : row[field]);
  const missingFields = stage.requiredFields.filter((field) => value(field) === null);
  if (missingFields.length > 0)
    throw new Problem('required_fields_missing', `The stage ${stage.key} needs ${missingFields.join(', ')}.`, {
      extensions: { missingFields },
    });
}

function shorthandOf(patch: Input): OwnAction | null {
  if (patch['status'] === 'won') return 'win';
  if (patch['status'] === 'lost') return 'lose';
  if (patch['status'] === 'open') return 'reopen';
  if ('pipelineId' in patch) return 'change_pipeline';
  return 'stage' in patch ? 'move' : null;
}

function asNotWithTransition(violation: Violation): Violation {
  if (violation.code !== 'unknown_field') return violation;
  return { ...violation, code: 'not_with_transition', detail: 'Change this field in a request of its own.' };
}

function onlyWithStatus(field: string): Violation {
  return {
    pointer: `/${field}`,
    code: 'only_with_transition',
    detail: 'The field belongs to a transition or a lost deal.',
  };
}

function invalid(pointer: string, code: string, detail: string): Problem {
  return Problem.validation([{ pointer, code, detail }]);
}
