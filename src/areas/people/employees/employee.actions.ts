import { civilDate, Field, oneOf, text } from '#libs/http/field.js';
import { TERMINATION_TYPES, type TerminationType } from './employee.parts.js';

const REASON = { description: 'Why; kept with the personal fields of the employee.', optional: true };

export class SuspendEmployee {
  @Field(text({ min: 1, max: 500 }), { description: 'Why; kept in the audit log.', example: 'Investigation under way' })
  reason!: string;
}

export class StartOffboarding {
  @Field(civilDate(), {
    description: 'Last day; the employee is terminated at its end. Not before the first one.',
    example: '2099-12-31',
  })
  terminationDate!: string;

  @Field(oneOf(TERMINATION_TYPES), { description: 'Kind of termination.', example: 'voluntary' })
  type!: TerminationType;

  @Field(text({ min: 1, max: 2_000 }), REASON)
  reason!: string;
}

export class TerminateEmployee {
  @Field(civilDate(), {
    description: 'Last day, today at the latest; today, or that of the offboarding if it has passed, if not given.',
    example: '2026-11-20',
    optional: true,
  })
  terminationDate!: string;

  @Field(oneOf(TERMINATION_TYPES), {
    description: 'Kind of termination; needed unless the offboarding has said it.',
    example: 'voluntary',
    optional: true,
  })
  type!: TerminationType;

  @Field(text({ min: 1, max: 2_000 }), REASON)
  reason!: string;
}

export class RehireEmployee {
  @Field(civilDate(), {
    description: 'First day of the new employment, after the last day of the one before.',
    example: '2099-12-31',
  })
  startDate!: string;
}
