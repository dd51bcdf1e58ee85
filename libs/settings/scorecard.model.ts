import { escapePointer, Field, integer, type Kind } from '#libs/http/field.js';
import { isObject } from '#libs/kernel/is-object.js';
import { MAX_MINOR } from '#libs/kernel/money.js';

/** A number for each of some metrics; null removes one. */
const targets = (): Kind => ({
  schema: { type: 'object', additionalProperties: { type: ['number', 'null'] } },
  check: (value) => {
    if (!isObject(value)) return [{ code: 'invalid_type', detail: 'The value must be an object.' }];
    return Object.entries(value).flatMap(([key, target]) =>
      target === null || (typeof target === 'number' && Math.abs(target) <= MAX_MINOR)
        ? []
        : [{ code: 'invalid_type', detail: 'A target is a number.', at: `/${escapePointer(key)}` }],
    );
  },
  parse: () => undefined,
});

/** Settings for scorecards. */
export class ScorecardSettings {
  @Field(targets(), {
    description:
      'Targets by key of the metric, see `GET /api/insights/metrics`. Targets of amounts are in minor units of the base currency. In a patch, null removes a target; figures that do not depend on the size of the tenant then have a usual one.',
    example: { win_rate: 30 },
  })
  targets!: Record<string, number>;

  @Field(integer({ min: 1, max: 1_000_000 }), {
    description: 'Number of items below which a scorecard shows no value, and figures over time no mean or share.',
    example: 5,
  })
  minSample!: number;
}
