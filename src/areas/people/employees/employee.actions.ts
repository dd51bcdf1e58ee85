import { civilDate, Field, id, oneOf, text } from '#libs/http/field.js';
import { TERMINATION_TYPES, type TerminationType } from './employee.parts.js';

const REASON = {
  description: 'Reason for the termination; kept as a personal field of the employee, and not in the audit log.',
  optional: true,
};

const template = (kind: string) => ({
  description: `Checklist template for the ${kind}; by default \`people.${kind}Template\` of the settings.`,
  optional: true,
});

export class StartOnboarding {
  @Field(id(), template('onboarding'))
  templateId?: string;
}

export class SuspendEmployee {
  @Field(text({ min: 1, max: 500 }), {
    description: 'Reason for the suspension; kept in the audit log.',
    example: 'Investigation under way',
  })
  reason!: string;
}

export class StartOffboarding {
  @Field(civilDate(), {
    description: 'Last day of the employment, at whose end the employee is terminated. Not before the first day.',
    example: '2099-12-31',
  })
  terminationDate!: string;

  @Field(oneOf(TERMINATION_TYPES), { description: 'Kind of termination.', example: 'voluntary' })
  type!: TerminationType;

  @Field(text({ min: 1, max: 2_000 }), REASON)
  reason!: string;

  @Field(id(), template('offboarding'))
  templateId?: string;
}

export class ChangeLastDay {
  @Field(civilDate(), {
    description:
      'New last day of the employment, not before the first one. The open items of the offboarding checklists move with it.',
    example: '2099-12-31',
  })
  terminationDate!: string;
}

export class TerminateEmployee {
  @Field(civilDate(), {
    description:
      'Last day of the employment, today at the latest. By default that of the offboarding if it has passed, else today.',
    example: '2026-11-20',
    optional: true,
  })
  terminationDate!: string;

  @Field(oneOf(TERMINATION_TYPES), {
    description: 'Kind of termination; required unless the offboarding has set it.',
    example: 'voluntary',
    optional: true,
  })
  type!: TerminationType;

  @Field(text({ min: 1, max: 2_000 }), REASON)
  reason!: string;
}

export class RehireEmployee {
  @Field(civilDate(), {
    description: 'First day of the new employment; after the last day of the previous one.',
    example: '2099-12-31',
  })
  startDate!: string;
}
