import { Field, flag, id, instant, integer, listOf, nested } from '#libs/http/field.js';
import { MAX_SLOS } from './slo.dto.js';

const count = () => integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const difference = () => integer({ min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });

export class ReconcileSlos {
  @Field(listOf(id(), { min: 1, max: MAX_SLOS, unique: true }), {
    description: 'Objectives to recount; all by default.',
    optional: true,
  })
  sloIds?: string[];

  @Field(instant(), {
    description: 'Start of the time to recount, rounded down to the hour; by default the start of each window.',
    optional: true,
  })
  from?: string;

  @Field(instant(), {
    description: 'End of the time to recount, rounded up to the hour; now by default.',
    optional: true,
  })
  to?: string;
}

export class SloCounted {
  @Field(count(), { description: 'Good events.', example: 9_995 })
  good!: number;

  @Field(count(), { description: 'Valid events.', example: 10_000 })
  total!: number;
}

export class SloDrift {
  @Field(difference(), { description: 'Good events after, less those before.', example: 0 })
  good!: number;

  @Field(difference(), { description: 'Valid events after, less those before.', example: 0 })
  total!: number;
}

export class SloReconciled {
  @Field(id(), { description: 'The objective.' })
  sloId!: string;

  @Field(instant(), { description: 'Start of the time that was recounted.' })
  from!: string;

  @Field(instant(), { description: 'End of the time that was recounted.' })
  to!: string;

  @Field(nested(SloCounted), { description: 'What the running counters said.' })
  before!: SloCounted;

  @Field(nested(SloCounted), { description: 'What the recorded requests, deliveries or jobs add up to.' })
  after!: SloCounted;

  @Field(nested(SloDrift), { description: 'The difference.' })
  drift!: SloDrift;

  @Field(flag(), { description: 'Whether a counter was corrected.', example: false })
  corrected!: boolean;
}

export class ReconciledSlos {
  @Field(listOf(nested(SloReconciled), { max: MAX_SLOS }), { description: 'One result per objective.' })
  results!: SloReconciled[];

  @Field(count(), { description: 'Time taken, ms.', example: 42 })
  durationMs!: number;
}
