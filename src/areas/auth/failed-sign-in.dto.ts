import { Field, id, integer, text } from '#libs/http/field.js';

/** A failed sign-in of a member, with those since the previous event. */
export class FailedSignIn {
  @Field(id(), { description: 'Id of the member.' })
  membershipId!: string;

  @Field(text({ max: 100 }), {
    description: 'Why the sign-in failed, as in the audit log: for example the status of the membership.',
    example: 'membership_suspended',
  })
  reason!: string;

  @Field(integer({ min: 1, max: 2_147_483_647 }), {
    description: 'Number of failed sign-ins of the member since the previous event, including this one.',
    example: 1,
  })
  count!: number;
}

export const FAILED_SIGN_IN_EXAMPLE: FailedSignIn = {
  membershipId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22',
  reason: 'membership_suspended',
  count: 1,
};
