import { escapePointer, Field, instant, type Kind, nested, oneOf, text } from '#libs/http/field.js';
import { isObject } from '#libs/kernel/is-object.js';
import { ActorView } from '#libs/resource/types/record.dto.js';
import { CHECK_KEYS } from './checks/all.js';
import { SEVERITIES, type Severity } from './posture-check.js';
import { type PostureStatus, STATUSES } from './posture-score.js';

/** Key of a check. */
export function checkKey(): Kind {
  const kind = oneOf(CHECK_KEYS);
  const unknown = [{ code: 'unknown_check', detail: 'There is no such check.' }];
  return { ...kind, check: (value) => (CHECK_KEYS.includes(String(value)) ? [] : unknown) };
}

const MAX_THRESHOLDS = 10;
const limit = { minimum: 0, maximum: 1_000_000 };

/** Thresholds by name. The service checks whether the check has them. `nullable` allows null, for the default. */
export function thresholds({ nullable = false } = {}): Kind {
  const isValid = (value: unknown): boolean =>
    Number.isInteger(value) && Number(value) >= limit.minimum && Number(value) <= limit.maximum;
  const type = nullable ? ['integer', 'null'] : 'integer';
  return {
    schema: { type: 'object', maxProperties: MAX_THRESHOLDS, additionalProperties: { type, ...limit } },
    check: (value) => {
      if (!isObject(value)) return [{ code: 'invalid_type', detail: 'The value must be an object.' }];
      const entries = Object.entries(value);
      if (entries.length > MAX_THRESHOLDS)
        return [{ code: 'too_many', detail: `The object may have at most ${MAX_THRESHOLDS} members.` }];
      return entries
        .filter(([, each]) => !isValid(each) && !(nullable && each === null))
        .map(([name]) => ({
          code: 'invalid_type',
          detail: `The threshold must be a whole number from ${limit.minimum} to ${limit.maximum}.`,
          at: `/${escapePointer(name)}`,
        }));
    },
    parse: () => undefined,
  };
}

/** An accepted risk. */
export class PostureException {
  @Field(text({ max: 1_000 }), { description: 'Why the risk is accepted.', example: 'Migration until March' })
  reason!: string;

  @Field(instant(), { description: 'Time at which the exception ends.', example: '2027-03-01T00:00:00.000Z' })
  expiresAt!: string;

  @Field(instant(), { description: 'Time at which it was granted.', example: '2026-11-21T09:15:02.114Z' })
  grantedAt!: string;

  @Field(nested(ActorView), { description: 'Who granted it.' })
  grantedBy!: ActorView;
}

/** A note that somebody is dealing with a failing check. */
export class PostureAcknowledgement {
  @Field(text({ max: 1_000 }), { description: 'What is being done.', example: 'Ticket SEC-41' })
  note!: string;

  @Field(instant(), { description: 'Time of the note.', example: '2026-11-21T09:15:02.114Z' })
  at!: string;

  @Field(nested(ActorView), { description: 'Who wrote it.' })
  by!: ActorView;
}

/** A check whose status differs from the previous run. */
export class PostureChange {
  @Field(text({ max: 60 }), { description: 'Key of the check.', example: 'credentials.key_wildcard' })
  checkKey!: string;

  @Field(oneOf(SEVERITIES), { description: 'Severity of the check.', example: 'high' })
  severity!: Severity;

  @Field(oneOf(STATUSES), { description: 'Status in the previous run.', example: 'pass' })
  from!: PostureStatus;

  @Field(oneOf(STATUSES), { description: 'Status in this run.', example: 'fail' })
  to!: PostureStatus;
}
