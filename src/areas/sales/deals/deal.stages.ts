import { DAY_MS } from '#libs/kernel/durations.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Pipeline } from '../pipelines/pipeline.js';
import type { PipelineStage, RequirableField } from '../pipelines/pipeline.stages.js';
import type { MoveDeal } from './deal.actions.js';
import type { Deal } from './deal.js';

/** Fields that a deal inherits from its new stage. */
export function enter(stage: PipelineStage, at: string) {
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

/** Values from the caller that override those of the stage. */
export function overrides({ probability, forecastCategory }: Partial<MoveDeal>): Partial<Deal> {
  return {
    ...(probability === undefined ? {} : { probability }),
    ...(forecastCategory === undefined ? {} : { forecastCategory }),
  };
}

/**
 * The initial stage of an open deal: the one with the key, by default the pipeline's first.
 * @throws Problem 400 for an unknown key.
 */
export function startingStage(pipeline: Pipeline, key: string | undefined): PipelineStage {
  return key === undefined ? pipeline.stages.find((stage) => stage.category === 'open')! : stageOf(pipeline, key);
}

/** The stage of a pipeline with a key. @throws Problem 400. */
export function stageOf({ stages }: Pipeline, key: string): PipelineStage {
  const stage = stages.find((each) => each.key === key);
  if (stage) return stage;
  const detail = `The pipeline has the stages ${stages.map((each) => each.key).join(', ')}.`;
  throw Problem.validation([{ pointer: '/stage', code: 'unknown_stage', detail }]);
}

/** The stage of a pipeline for won or lost deals. */
export function closingStage({ stages }: Pipeline, category: 'won' | 'lost'): PipelineStage {
  return stages.find((each) => each.category === category)!;
}

/** @throws Problem 409 `required_fields_missing` with the required fields that the deal lacks. */
export function requireFields(row: Deal, stage: PipelineStage): void {
  const value = (field: RequirableField) => (field === 'value' ? row.valueMinor : row[field]);
  const missingFields = stage.requiredFields.filter((field) => value(field) === null);
  if (missingFields.length > 0)
    throw new Problem('required_fields_missing', `The stage ${stage.key} needs ${missingFields.join(', ')}.`, {
      extensions: { missingFields },
    });
}
