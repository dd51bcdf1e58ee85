import { Field, text } from '#libs/http/field.js';

export class RejectTimeOff {
  @Field(text({ min: 1, max: 500 }), {
    description: 'Reason for the rejection; kept in the audit log.',
    example: 'Too many are away',
  })
  reason!: string;
}
