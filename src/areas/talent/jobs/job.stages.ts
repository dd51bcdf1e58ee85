import { Field, name, oneOf, text } from '#libs/http/field.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';

export const STAGE_CATEGORIES = ['new', 'active', 'offer', 'hired'] as const;
export type StageCategory = (typeof STAGE_CATEGORIES)[number];

export const stageKey = () =>
  text({
    min: 1,
    max: 40,
    pattern: /^[a-z][a-z0-9_]*$/,
    form: 'a lower-case letter followed by lower-case letters, digits and underscores',
  });

/** A stage of a job, in list order. */
export class JobStage {
  @Field(stageKey(), { description: 'Key of the stage, unique in the job.', example: 'interview' })
  key!: string;

  @Field(name(100), { description: 'Label of the stage.', example: 'Interview' })
  name!: string;

  @Field(oneOf(STAGE_CATEGORIES), {
    description: 'Position in the process: `new` for the first stage, `offer` and `hired` for the last two.',
    example: 'active',
  })
  category!: StageCategory;
}

/** Default stages, also used for applications without a job. */
export const DEFAULT_STAGES: JobStage[] = [
  { key: 'applied', name: 'Applied', category: 'new' },
  { key: 'screening', name: 'Screening', category: 'active' },
  { key: 'interview', name: 'Interview', category: 'active' },
  { key: 'offer', name: 'Offer', category: 'offer' },
  { key: 'hired', name: 'Hired', category: 'hired' },
];

/** Keys of categories that are the same in every job. */
const FIXED_KEYS: Partial<Record<StageCategory, string>> = { new: 'applied', offer: 'offer', hired: 'hired' };
const RESERVED = new Set(['applied', 'offer', 'hired', 'rejected', 'withdrawn']);

/**
 * Validates the stages of a job: applied, then custom active stages, offer, hired.
 * @throws Problem 400 with all violations.
 */
export function checkedStages(stages: JobStage[]): JobStage[] {
  const violations: Violation[] = [];
  const keys = new Set<string>();
  stages.forEach(({ key, category }, index) => {
    const add = (code: string, detail: string) => violations.push({ pointer: `/stages/${index}/key`, code, detail });
    if (keys.has(key)) add('not_unique', 'The key occurs twice.');
    else if (FIXED_KEYS[category] ? FIXED_KEYS[category] !== key : RESERVED.has(key))
      add('invalid_value', `A stage of the category ${category} cannot have this key.`);
    keys.add(key);
  });
  const order = stages.map(({ category }) => category).join(' ');
  if (violations.length === 0 && !/^new( active)+ offer hired$/.test(order))
    violations.push({
      pointer: '/stages',
      code: 'invalid_order',
      detail: 'The stages are one new, one or more active, one offer, one hired, in this order.',
    });
  if (violations.length > 0) throw Problem.validation(violations);
  return stages.map(({ key, name: label, category }) => ({ key, name: label, category }));
}
