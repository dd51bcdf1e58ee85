import { Field, flag, id, instant, oneOf, text } from '#libs/http/field.js';
import { lostReason } from '#libs/settings/settings.model.js';
import { FORECAST_CATEGORIES, type ForecastCategory } from '../pipelines/pipeline.stages.js';
import { competitorName, lossNotes, percent, stageKey } from './deal.parts.js';

const CLOSED_AT = { description: 'Time of closing, not in the future; now by default.', optional: true };

export class MoveDeal {
  @Field(stageKey, { description: 'Key of another open stage of the pipeline.', example: 'negotiation' })
  stage!: string;

  @Field(percent, { description: 'Chance of winning in percent; by default that of the stage.', optional: true })
  probability!: number;

  @Field(oneOf(FORECAST_CATEGORIES), {
    description: 'Forecast category; by default that of the stage.',
    optional: true,
  })
  forecastCategory!: ForecastCategory;
}

export class ChangeDealPipeline {
  @Field(id(), { description: 'Id of the other pipeline.' })
  pipelineId!: string;

  @Field(stageKey, { description: 'Key of an open stage of that pipeline; its first one by default.', optional: true })
  stage!: string;
}

export class WinDeal {
  @Field(instant(), CLOSED_AT)
  closedAt!: string;

  @Field(flag(), {
    description: 'True to win the deal although fields are empty that the won stage requires.',
    optional: true,
  })
  force!: boolean;
}

export class LoseDeal {
  @Field(lostReason(), {
    description: 'Reason for the loss. It must be in the setting `sales.lostReasons` unless that is empty.',
    example: 'price',
  })
  lostReason!: string;

  @Field(lossNotes, { description: 'Details of the loss.', optional: true, nullable: true })
  lostNotes!: string | null;

  @Field(competitorName, { description: 'Competitor that won the deal.', optional: true, nullable: true })
  competitor!: string | null;

  @Field(instant(), CLOSED_AT)
  closedAt!: string;
}

export class ReopenDeal {
  @Field(text({ min: 1, max: 500 }), {
    description: 'Reason, kept in the audit log.',
    example: 'The customer came back',
  })
  reason!: string;

  @Field(stageKey, { description: 'Key of an open stage; the first one by default.', optional: true })
  stage!: string;
}

/** Input types of the actions. */
export const DEAL_INPUTS = {
  move: MoveDeal,
  change_pipeline: ChangeDealPipeline,
  win: WinDeal,
  lose: LoseDeal,
  reopen: ReopenDeal,
};
