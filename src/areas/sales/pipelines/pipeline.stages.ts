import { Field, integer, listOf, name, oneOf, text } from '#libs/http/field.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';

export const STAGE_CATEGORIES = ['open', 'won', 'lost'] as const;
export type StageCategory = (typeof STAGE_CATEGORIES)[number];

export const FORECAST_CATEGORIES = ['pipeline', 'best_case', 'commit', 'omitted'] as const;
export type ForecastCategory = (typeof FORECAST_CATEGORIES)[number];

/** Deal fields that a stage can require. */
export const REQUIRABLE_FIELDS = ['value', 'expectedCloseDate', 'nextStep', 'nextStepDate', 'recurring'] as const;
export type RequirableField = (typeof REQUIRABLE_FIELDS)[number];

export const stageKey = () =>
  text({
    min: 1,
    max: 40,
    pattern: /^[a-z][a-z0-9_]*$/,
    form: 'a lower-case letter followed by lower-case letters, digits and underscores',
  });

/** A stage of a pipeline, in list order. */
export class PipelineStage {
  @Field(stageKey(), { description: 'Key of the stage, unique in the pipeline.', example: 'proposal' })
  key!: string;

  @Field(name(100), { description: 'Label of the stage.', example: 'Proposal' })
  name!: string;

  @Field(oneOf(STAGE_CATEGORIES), { description: 'Status of the deals in this stage.', example: 'open' })
  category!: StageCategory;

  @Field(integer({ min: 0, max: 100 }), {
    description: 'Chance of winning in percent; always 100 in a won stage and 0 in a lost one.',
    example: 50,
  })
  probability!: number;

  @Field(oneOf(FORECAST_CATEGORIES), {
    description: 'Forecast category that deals take when they enter this stage.',
    example: 'best_case',
  })
  forecastCategory!: ForecastCategory;

  @Field(integer({ min: 1, max: 3_650 }), {
    description: 'Days after which a deal in this stage counts as stale; never if null.',
    nullable: true,
    optional: true,
  })
  rottenAfterDays!: number | null;

  @Field(listOf(oneOf(REQUIRABLE_FIELDS), { max: 10, unique: true }), {
    description: 'Fields that a deal must have before it enters this stage; none by default.',
    optional: true,
  })
  requiredFields!: RequirableField[];
}

/** Default stages of a new tenant. */
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

/** Example stages for renewals, for the documentation. */
export const RENEWAL_STAGES = [
  { key: 'due', name: 'Due', category: 'open', probability: 60, forecastCategory: 'best_case', rottenAfterDays: 14 },
  {
    key: 'agreed',
    name: 'Agreed',
    category: 'open',
    probability: 90,
    forecastCategory: 'commit',
    requiredFields: ['value'],
  },
  { key: 'renewed', name: 'Renewed', category: 'won', probability: 100, forecastCategory: 'commit' },
  { key: 'churned', name: 'Churned', category: 'lost', probability: 0, forecastCategory: 'omitted' },
];

/** The stages as stored, with all members. @throws Problem 400 for an inconsistent list. */
export function checkedStages(stages: PipelineStage[]): PipelineStage[] {
  const violations = stageViolations(stages);
  if (violations.length > 0) throw Problem.validation(violations);
  return stages.map(({ key, name: label, category, probability, forecastCategory, ...rest }) => {
    const { rottenAfterDays = null, requiredFields = [] } = rest as Partial<PipelineStage>;
    return { key, name: label, category, probability, forecastCategory, rottenAfterDays, requiredFields };
  });
}

/** Violations of the list as a whole: keys, categories, probabilities. */
function stageViolations(stages: PipelineStage[]): Violation[] {
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
