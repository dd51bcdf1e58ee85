import {
  civilDate,
  Field,
  type FieldOptions,
  flag,
  id,
  instant,
  integer,
  listOf,
  nested,
  number,
  text,
} from '#libs/http/field.js';
import { keyInPath } from '#libs/http/key-in-path.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { ONE_PAGE, PageInfo, pageOf } from '#libs/resource/types/record.dto.js';

/** Maximum number of days in one response. */
export const MOST_DAYS = 366;
export const MOST_VARIANTS = 200;
const COUNT = integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const PERCENT = number({ min: 0, max: 100 });
const STEP = text({ max: 200 });
const VARIANT = text({ min: 16, max: 16, pattern: /^[0-9a-f]{16}$/, form: 'the key of a variant' });

const FROM: FieldOptions = {
  description: `First day (UTC) on which the records were created. Defaults to the 30 days that end with \`to\`; at most ${MOST_DAYS} days.`,
  example: '2026-11-01',
  optional: true,
};
const TO: FieldOptions = { description: 'Last day (UTC); defaults to today.', example: '2026-11-21', optional: true };

export const PROCESS_PARAMS = {
  key: { kind: keyInPath, description: 'Key of the process: the type of its records, such as `sales.deal`.' },
};

export class Process {
  @Field(text({ max: 60 }), { description: 'Type of the records.', example: 'sales.deal' })
  key!: string;

  @Field(text({ max: 60 }), { description: 'Noun for one record.', example: 'deal' })
  noun!: string;

  @Field(text({ max: 200 }), { description: 'Path of the records.', example: '/api/v1/sales/deals' })
  path!: string;

  @Field(listOf(text({ max: 60 }), { max: 100 }), {
    description: 'States of the records.',
    example: ['open', 'won', 'lost'],
  })
  states!: string[];

  @Field(listOf(text({ max: 60 }), { max: 100 }), {
    description: 'States that end a record’s process.',
    example: ['won', 'lost'],
  })
  closedStates!: string[];
}

export const ProcessPage = pageOf(Process);

export class ProcessQuery {
  @Field(civilDate(), FROM)
  from?: string;

  @Field(civilDate(), TO)
  to?: string;
}

/** The records that were analysed. */
class Analysed {
  @Field(civilDate(), { description: 'First day (UTC).', example: '2026-10-23' })
  from!: string;

  @Field(civilDate(), { description: 'Last day (UTC).', example: '2026-11-21' })
  to!: string;

  @Field(COUNT, {
    description: 'Records that were created within the span, are not in the trash and have moved at least once.',
    example: 120,
  })
  cases!: number;

  @Field(COUNT, { description: 'Records that were created within the span and have not moved yet.', example: 14 })
  unmoved!: number;
}

export class Durations {
  @Field(COUNT, { description: 'Median, seconds.', example: 172_800 })
  p50Seconds!: number;

  @Field(COUNT, { description: '90th percentile, seconds.', example: 950_400 })
  p90Seconds!: number;

  @Field(COUNT, { description: 'Mean, seconds.', example: 311_040 })
  meanSeconds!: number;
}

export class ProcessNode {
  @Field(STEP, { description: 'State, with the stage after `/` for types with stages.', example: 'open/proposal' })
  step!: string;

  @Field(COUNT, { description: 'Number of times that a record entered the step.', example: 84 })
  visits!: number;

  @Field(COUNT, { description: 'Records that were in the step at least once.', example: 80 })
  cases!: number;

  @Field(COUNT, { description: 'Records that began in the step.', example: 0 })
  starts!: number;

  @Field(COUNT, { description: 'Records that are in the step now.', example: 12 })
  current!: number;

  @Field(nested(Durations), {
    description: 'Length of the completed stays; null if no record has left the step.',
    nullable: true,
  })
  stay!: Durations | null;
}

export class ProcessEdge {
  @Field(STEP, { description: 'Step before the move.', example: 'open/qualification' })
  from!: string;

  @Field(STEP, { description: 'Step after the move.', example: 'open/proposal' })
  to!: string;

  @Field(listOf(text({ max: 60 }), { max: 100 }), { description: 'Actions that caused the moves.', example: ['move'] })
  actions!: string[];

  @Field(COUNT, { description: 'Number of moves.', example: 84 })
  count!: number;

  @Field(COUNT, { description: 'Records that made the move at least once.', example: 80 })
  cases!: number;

  @Field(nested(Durations), { description: 'Time that the records spent in `from` before the move.' })
  wait!: Durations;

  @Field(COUNT, { description: 'Longest time in `from` before the move, seconds.', example: 1_950_400 })
  maxSeconds!: number;
}

/** The directly-follows graph of a process. */
export class ProcessGraph extends Analysed {
  @Field(COUNT, { description: 'Moves of these records.', example: 412 })
  moves!: number;

  @Field(nested(Durations), {
    description: 'Time from the creation of a record to its last move; null without cases.',
    nullable: true,
  })
  duration!: Durations | null;

  @Field(listOf(nested(ProcessNode), { max: 1_000 }), { description: 'Steps, the most visited first.' })
  nodes!: ProcessNode[];

  @Field(listOf(nested(ProcessEdge), { max: 10_000 }), { description: 'Moves between steps, the most frequent first.' })
  edges!: ProcessEdge[];
}

export class ProcessVariant {
  @Field(VARIANT, { description: 'Key of the variant, for the list of cases.', example: '5f0c6d2b9a41e873' })
  key!: string;

  @Field(listOf(STEP, { max: 10_000 }), {
    description: 'Steps in order.',
    example: ['open/qualification', 'open/proposal', 'won'],
  })
  path!: string[];

  @Field(COUNT, { description: 'Records with exactly this path so far.', example: 42 })
  cases!: number;

  @Field(PERCENT, { description: 'Share of all cases, in percent.', example: 35 })
  sharePercent!: number;

  @Field(flag(), { description: 'Whether the last step ends the process.', example: true })
  finished!: boolean;

  @Field(nested(Durations), { description: 'Time from the creation of a record to its last move.' })
  duration!: Durations;
}

export class ProcessVariants extends Analysed {
  @Field(COUNT, { description: 'Number of different paths.', example: 9 })
  variants!: number;

  @Field(listOf(nested(ProcessVariant), { max: MOST_VARIANTS }), {
    description: `The ${MOST_VARIANTS} most frequent paths, the most frequent first.`,
  })
  data!: ProcessVariant[];

  @Field(nested(PageInfo), ONE_PAGE)
  page!: PageInfo;
}

export class ProcessBottleneck {
  @Field(STEP, { description: 'State, with the stage after `/` for types with stages.', example: 'open/proposal' })
  step!: string;

  @Field(COUNT, { description: 'Completed stays.', example: 72 })
  stays!: number;

  @Field(COUNT, { description: 'Total length of the completed stays, seconds.', example: 12_441_600 })
  totalSeconds!: number;

  @Field(COUNT, { description: 'Records that are in the step now.', example: 12 })
  waiting!: number;

  @Field(COUNT, { description: 'Total time that these have been in the step so far, seconds.', example: 2_073_600 })
  waitingSeconds!: number;

  @Field(PERCENT, {
    description: 'Share of this step in the time that all records have spent in all steps, in percent.',
    example: 61.5,
  })
  sharePercent!: number;

  @Field(COUNT, { description: 'Median length of the completed stays, seconds.', example: 172_800, nullable: true })
  p50Seconds!: number | null;

  @Field(COUNT, { description: '90th percentile of the completed stays, seconds.', example: 950_400, nullable: true })
  p90Seconds!: number | null;

  @Field(COUNT, {
    description:
      'Median of the records that were created in the span of the same length before, seconds; null without such stays.',
    example: 151_200,
    nullable: true,
  })
  previousP50Seconds!: number | null;
}

export class ProcessBottlenecks extends Analysed {
  @Field(listOf(nested(ProcessBottleneck), { max: 1_000 }), {
    description: 'Steps that do not end the process, the one with the most time first.',
  })
  data!: ProcessBottleneck[];

  @Field(nested(PageInfo), ONE_PAGE)
  page!: PageInfo;
}

export class ProcessReturn {
  @Field(STEP, { description: 'Step before the return.', example: 'open/negotiation' })
  from!: string;

  @Field(STEP, { description: 'Step that the record had left before.', example: 'open/proposal' })
  to!: string;

  @Field(COUNT, { description: 'Number of returns.', example: 7 })
  count!: number;

  @Field(COUNT, { description: 'Records that returned at least once.', example: 6 })
  cases!: number;

  @Field(COUNT, {
    description: 'Total time between leaving the step and returning to it, seconds.',
    example: 604_800,
  })
  lostSeconds!: number;
}

export class ProcessRework extends Analysed {
  @Field(COUNT, { description: 'Records that returned to a step.', example: 6 })
  reworkedCases!: number;

  @Field(PERCENT, { description: 'Share of these in all cases, in percent.', example: 5 })
  reworkPercent!: number;

  @Field(listOf(nested(ProcessReturn), { max: 10_000 }), { description: 'Returns, the most expensive first.' })
  data!: ProcessReturn[];

  @Field(nested(PageInfo), ONE_PAGE)
  page!: PageInfo;
}

export class ProcessCaseQuery extends PageQuery {
  @Field(civilDate(), FROM)
  from?: string;

  @Field(civilDate(), TO)
  to?: string;

  @Field(VARIANT, { description: 'Only records with the path of this variant.', optional: true })
  variant?: string;

  @Field(STEP, { description: 'Only records that are in this step now.', example: 'open/proposal', optional: true })
  step?: string;

  @Field(flag(), {
    description: '`true` for records that returned to a step, `false` for the others.',
    optional: true,
  })
  reworked?: boolean;
}

export class ProcessCase {
  @Field(id(), { description: 'Id of the record.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22' })
  id!: string;

  @Field(instant(), { description: 'Creation of the record.', example: '2026-11-02T09:15:02.114Z' })
  createdAt!: string;

  @Field(VARIANT, { description: 'Key of its variant.', example: '5f0c6d2b9a41e873' })
  variant!: string;

  @Field(listOf(STEP, { max: 10_000 }), {
    description: 'Its steps in order.',
    example: ['open/qualification', 'open/proposal', 'won'],
  })
  path!: string[];

  @Field(flag(), { description: 'Whether its last step ends the process.', example: true })
  finished!: boolean;

  @Field(flag(), { description: 'Whether it returned to a step.', example: false })
  reworked!: boolean;

  @Field(COUNT, { description: 'Time from its creation to its last move, seconds.', example: 950_400 })
  durationSeconds!: number;
}

export const ProcessCasePage = pageOf(ProcessCase);
