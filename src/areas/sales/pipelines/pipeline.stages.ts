import { Field, integer, listOf, name, oneOf, text } from '#libs/http/field.js';
import type { Violation } from '#libs/kernel/problem.js';

export const STAGE_CATEGORIES = ['open', 'won', 'lost'] as const;
export type StageCategory = (typeof STAGE_CATEGORIES)[number];

export const FORECAST_CATEGORIES = ['pipeline', 'best_case', 'commit', 'omitted'] as const;
export type ForecastCategory = (typeof FORECAST_CATEGORIES)[number];

/** Deal fields that a stage can require. */
export const REQUIRABLE_FIELDS = ['value', 'expectedCloseDate', 'nextStep', 'nextStepDate', 'recurring'] as const;
export type RequirableField = (typeof REQUIRABLE_FIELDS)[number];

/** One stage of a pipeline, in the order of the list. */
export class PipelineStage {
  @Field(
    text({
      min: 1,
      max: 40,
      pattern: /^[a-z][a-z0-9_]*$/,
      form: 'a lower-case letter followed by lower-case letters, digits and underscores',
    }),
    {
      description: 'Key of the stage, unique in the pipeline.',
      example: 'proposal',
    },
  )
  key!: string;

  @Field(name(100), { description: 'What people see.', example: 'Proposal' })
  name!: string;

  @Field(oneOf(STAGE_CATEGORIES), { description: 'Status of the deals in it.', example: 'open' })
  category!: StageCategory;

  @Field(integer({ min: 0, max: 100 }), { description: 'Chance of winning, in percent.', example: 50 })
  probability!: number;

  @Field(oneOf(FORECAST_CATEGORIES), { description: 'Where the forecast counts it.', example: 'best_case' })
  forecastCategory!: ForecastCategory;

  @Field(integer({ min: 1, max: 3_650 }), {
    description: 'Days after which a deal in it is stale; null for never.',
    nullable: true,
    optional: true,
  })
  rottenAfterDays!: number | null;

  @Field(listOf(oneOf(REQUIRABLE_FIELDS), { max: 10, unique: true }), {
    description: 'Fields that a deal needs before it moves here.',
    optional: true,
  })
  requiredFields!: RequirableField[];
}

/** The stages that a tenant starts with. */
export const DEFAULT_STAGES: PipelineStage[] = (
  [
    ['qualification', 'Qualification', 'open', 10, 'pipeline'],
    ['demo', 'Demo', 'open', 25, 'pipeline'],
    ['proposal', 'Proposal', 'open', 50, 'best_case'],
    ['negotiation', 'Negotiation', 'open', 70, 'best_case'],
    ['commit', 'Commit', 'open', 90, 'commit'],
    ['won', 'Won', 'won', 100, 'commit'],
    ['lost', 'Lost', 'lost', 0, 'omitted'],
  ] as const
).map(([key, label, category, probability, forecastCategory]) => ({
  key,
  name: label,
  category,
  probability,
  forecastCategory,
  rottenAfterDays: null,
  requiredFields: [],
}));

/** The stages as they are stored: every member present. */
export function completeStages(stages: PipelineStage[]): PipelineStage[] {
  return stages.map((stage) => ({
    key: stage.key,
    name: stage.name,
    category: stage.category,
    probability: stage.probability,
    forecastCategory: stage.forecastCategory,
    rottenAfterDays: stage.rottenAfterDays ?? null,
    requiredFields: stage.requiredFields ?? [],
  }));
}

/** What is wrong with a list of stages as a whole: keys, categories, probabilities. */
export function stageViolations(stages: PipelineStage[]): Violation[] {
  const violations: Violation[] = [];
  const add = (pointer: string, code: string, detail: string) => violations.push({ pointer, code, detail });
  const keys = new Set<string>();
  stages.forEach(({ key, category, probability }, index) => {
    if (keys.has(key)) add(`/stages/${index}/key`, 'not_unique', 'The key occurs twice.');
    keys.add(key);
    const fixed = { open: null, won: 100, lost: 0 }[category];
    if (fixed !== null && probability !== fixed)
      add(`/stages/${index}/probability`, 'invalid_value', `A ${category} stage has the probability ${fixed}.`);
  });
  const count = (category: StageCategory) => stages.filter((stage) => stage.category === category).length;
  if (count('open') === 0) add('/stages', 'stage_missing', 'A pipeline needs an open stage.');
  if (count('won') !== 1) add('/stages', 'stage_missing', 'A pipeline has exactly one won stage.');
  if (count('lost') === 0) add('/stages', 'stage_missing', 'A pipeline needs a lost stage.');
  return violations;
}
