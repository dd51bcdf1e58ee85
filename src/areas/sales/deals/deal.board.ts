import { Field, id, integer, listOf, name, nested, oneOf } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { type PipelineStage, STAGE_CATEGORIES, type StageCategory } from '../pipelines/pipeline.stages.js';
import { DealView, stageKey } from './deal.dto.js';

/** Deals that the board shows of each stage. */
export const DEALS_OF_STAGE = 20;

const sum = () => integer({ min: 0, max: MAX_MINOR });

export class BoardQuery {
  @Field(id(), { description: 'Pipeline; the default one if not given.', optional: true })
  pipelineId?: string;
}

/** What the deals of a stage come to in one currency; null beyond the range of exact numbers. */
export class StageSum {
  @Field(currencyCode(), { description: 'ISO 4217 code.', example: 'USD' })
  currency!: string;

  @Field(sum(), { description: 'Sum of the values, in minor units.', example: 2500000, nullable: true })
  valueMinor!: number | null;

  @Field(sum(), { description: 'Sum of the weighted values, in minor units.', example: 250000, nullable: true })
  weightedValueMinor!: number | null;
}

export class BoardStage {
  @Field(stageKey(), { description: 'Key of the stage.', example: 'qualification' })
  stage!: string;

  @Field(name(100), { description: 'What people see.', example: 'Qualification' })
  name!: string;

  @Field(oneOf(STAGE_CATEGORIES), { description: 'Status of the deals in it.', example: 'open' })
  category!: StageCategory;

  @Field(integer({ min: 0, max: 2_147_483_647 }), { description: 'Deals in it.', example: 1 })
  count!: number;

  @Field(listOf(nested(StageSum), { max: 200 }), { description: 'What they come to, for each currency.' })
  sums!: StageSum[];

  @Field(listOf(nested(DealView), { max: DEALS_OF_STAGE }), {
    description: `The newest of them, at most ${DEALS_OF_STAGE}.`,
    example: [],
  })
  deals!: DealView[];
}

export class Board {
  @Field(id(), { description: 'Pipeline.' })
  pipelineId!: string;

  @Field(listOf(nested(BoardStage), { max: 30 }), {
    description: 'Its stages in order; none if there is no such pipeline.',
  })
  data!: BoardStage[];
}

/** The deals of one stage in one currency; `valued` is how many of them have a value. */
export interface StageFigures extends StageSum {
  stage: string;
  count: number;
  valued: number;
}

/** A stage as the board shows it: its figures and its newest deals. */
export function onBoard(
  { key, name, category }: PipelineStage,
  figures: StageFigures[],
  deals: DealView[],
): BoardStage {
  const count = figures.reduce((sum, each) => sum + each.count, 0);
  return { stage: key, name, category, count, sums: figures.filter(({ valued }) => valued > 0), deals };
}
