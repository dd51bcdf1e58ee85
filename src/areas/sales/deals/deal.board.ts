import { Field, id, integer, listOf, name, nested, oneOf } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { ONE_PAGE, PageInfo } from '#libs/resource/types/record.dto.js';
import { type PipelineStage, STAGE_CATEGORIES, type StageCategory } from '../pipelines/pipeline.stages.js';
import { deals, type ShownDeal } from './deal.js';
import { stageKey } from './deal.parts.js';

/** Maximum number of deals per stage on the board. */
export const DEALS_OF_STAGE = 20;

const sum = () => integer({ min: 0, max: MAX_MINOR });

export class BoardQuery {
  @Field(id(), { description: 'Id of the pipeline; the default one by default.', optional: true })
  pipelineId?: string;
}

/** The total of a stage's deals in one currency; null if it exceeds the exact range. */
export class StageSum {
  @Field(currencyCode(), { description: 'ISO 4217 code.', example: 'USD' })
  currency!: string;

  @Field(sum(), { description: 'Sum of the values, in minor units.', example: 2500000, nullable: true })
  valueMinor!: number | null;

  @Field(sum(), { description: 'Sum of the weighted values, in minor units.', example: 250000, nullable: true })
  weightedValueMinor!: number | null;
}

export class BoardStage {
  @Field(stageKey, { description: 'Key of the stage.', example: 'qualification' })
  stage!: string;

  @Field(name(100), { description: 'Label of the stage.', example: 'Qualification' })
  name!: string;

  @Field(oneOf(STAGE_CATEGORIES), { description: 'Status of the deals in this stage.', example: 'open' })
  category!: StageCategory;

  @Field(integer({ min: 0, max: 2_147_483_647 }), { description: 'Number of deals in the stage.', example: 1 })
  count!: number;

  @Field(listOf(nested(StageSum), { max: 200 }), { description: 'Value of these deals, by currency.' })
  sums!: StageSum[];

  @Field(listOf(nested(deals.view), { max: DEALS_OF_STAGE }), {
    description: `The newest deals of the stage, at most ${DEALS_OF_STAGE}.`,
    example: [],
  })
  deals!: ShownDeal[];
}

export class Board {
  @Field(id(), { description: 'Id of the pipeline.' })
  pipelineId!: string;

  @Field(listOf(nested(BoardStage), { max: 30 }), {
    description: 'Stages of the pipeline in order; none if there is no such pipeline.',
  })
  data!: BoardStage[];

  @Field(nested(PageInfo), ONE_PAGE)
  page!: PageInfo;
}

/** The deals of one stage in one currency; `valued` counts the deals with a value. */
export interface StageFigures extends StageSum {
  stage: string;
  count: number;
  valued: number;
}

/** A stage on the board, with its figures and newest deals. */
export function onBoard(
  { key, name, category }: PipelineStage,
  figures: StageFigures[],
  newest: ShownDeal[],
): BoardStage {
  const count = figures.reduce((sum, each) => sum + each.count, 0);
  return { stage: key, name, category, count, sums: figures.filter(({ valued }) => valued > 0), deals: newest };
}
