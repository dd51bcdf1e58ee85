import { Field, flag, id, integer, listOf, number, oneOf, text } from '#libs/http/field.js';

/** Key of a provider or a model. */
export const modelKey = () => text({ min: 1, max: 100, pattern: /^\S+$/, form: 'without white space' });

export const AUTONOMIES = ['suggest', 'approve_each', 'auto'] as const;
export type Autonomy = (typeof AUTONOMIES)[number];

const AREAS = ['finance', 'intelligence', 'people', 'sales', 'talent', 'work'] as const;
/** A million currency units. */
const MAX_COST_MICROS = 1_000_000_000_000;

/** Call parameters; null leaves a value to the model. */
export class AgentParameters {
  @Field(number({ min: 0, max: 2 }), {
    description: 'Sampling temperature.',
    example: 0.2,
    optional: true,
    nullable: true,
  })
  temperature!: number | null;

  @Field(integer({ min: 1, max: 1_000_000 }), {
    description: 'Maximum length of an answer, in tokens.',
    example: 1024,
    optional: true,
    nullable: true,
  })
  maxOutputTokens!: number | null;
}

/** The records that an agent may read, within its grants and the requester's rights. */
export class AgentDataScope {
  @Field(listOf(oneOf(AREAS), { max: AREAS.length, unique: true }), {
    description: 'Areas of the records; all areas if empty.',
    example: ['sales'],
    optional: true,
  })
  areas!: string[];

  @Field(listOf(id(), { max: 50, unique: true }), {
    description: 'Workspaces of the records; all records if empty.',
    example: [],
    optional: true,
  })
  workspaceIds!: string[];

  @Field(flag(), { description: 'True to show personal fields to the model.', example: false, optional: true })
  includePersonal!: boolean;
}

const limit = { optional: true, nullable: true } as const;

/** Limits of an agent; null means that only the tenant's limit applies. */
export class AgentLimits {
  @Field(integer({ min: 1, max: MAX_COST_MICROS }), {
    description: 'Maximum cost of a job, in millionths of the currency unit.',
    example: 500_000,
    ...limit,
  })
  maxCostMicrosPerJob!: number | null;

  @Field(integer({ min: 1, max: MAX_COST_MICROS }), {
    description: 'Maximum cost of a day, in millionths of the currency unit.',
    example: 5_000_000,
    ...limit,
  })
  maxCostMicrosPerDay!: number | null;

  @Field(integer({ min: 1, max: 10_000 }), {
    description: 'Maximum number of jobs in any hour.',
    example: 60,
    ...limit,
  })
  maxRunsPerHour!: number | null;

  @Field(integer({ min: 1, max: 25 }), { description: 'Maximum number of steps of a job.', example: 10, ...limit })
  maxSteps!: number | null;

  @Field(integer({ min: 5, max: 600 }), {
    description: 'Maximum duration of a job, in seconds.',
    example: 120,
    ...limit,
  })
  timeoutSeconds!: number | null;
}

const share = () => number({ min: 0, max: 1 });
const whole = () => integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

/** Statistics of an agent's jobs in the last 30 days. */
export class AgentStats {
  @Field(whole(), { description: 'Number of jobs that were requested.', example: 240 })
  jobs30d!: number;

  @Field(share(), {
    description: 'Share of the ended jobs that succeeded, cancelled ones aside, from 0 to 1; null without any.',
    example: 0.97,
    nullable: true,
  })
  successRate!: number | null;

  @Field(whole(), {
    description: 'Average cost of a job that ran, in millionths of the currency unit; null without any.',
    example: 41_000,
    nullable: true,
  })
  avgCostMicros!: number | null;

  @Field(whole(), {
    description: '95th percentile of the time from start to end of a job, in milliseconds; null without any.',
    example: 4_100,
    nullable: true,
  })
  p95LatencyMs!: number | null;

  @Field(share(), {
    description: 'Share of the decided proposed changes that were accepted, from 0 to 1; null without any.',
    example: 0.82,
    nullable: true,
  })
  acceptedSuggestionRate!: number | null;
}

export const NO_PARAMETERS: AgentParameters = { temperature: null, maxOutputTokens: null };
export const WHOLE_TENANT: AgentDataScope = { areas: [], workspaceIds: [], includePersonal: false };
export const NO_LIMITS: AgentLimits = {
  maxCostMicrosPerJob: null,
  maxCostMicrosPerDay: null,
  maxRunsPerHour: null,
  maxSteps: null,
  timeoutSeconds: null,
};
