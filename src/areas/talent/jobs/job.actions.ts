import { Field, oneOf, text } from '#libs/http/field.js';

/** What happens to the open applications when a job is closed. */
export const FATES = ['keep', 'reject', 'withdraw'] as const;

export class EndJob {
  @Field(oneOf(FATES), {
    description: 'Treatment of its open applications: leave them open, reject or withdraw all of them.',
    example: 'reject',
  })
  openApplications!: (typeof FATES)[number];

  @Field(text({ min: 1, max: 500 }), {
    description: 'Reason for rejecting them; by default, that the job has ended.',
    optional: true,
  })
  rejectReason!: string;
}
