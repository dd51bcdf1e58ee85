import { Field, flag, id, integer, text } from '#libs/http/field.js';

/** Minutes in a day. */
export const DAY_MINUTES = 1_440;
export const minutes = () => integer({ min: 1, max: DAY_MINUTES });
export const note = () => text({ max: 5_000 });

export class RejectTimeEntry {
  @Field(text({ min: 1, max: 500 }), { description: 'Reason, shown to the member.', example: 'The wrong project' })
  reason!: string;
}

export class StartTimer {
  @Field(id(), {
    description: 'Membership that spends the time; by default the member that the caller acts for.',
    optional: true,
  })
  membershipId!: string;

  @Field(id(), { description: 'Project; by default that of the task.', optional: true, nullable: true })
  projectId!: string | null;

  @Field(id(), { description: 'Task.', optional: true, nullable: true })
  taskId!: string | null;

  @Field(flag(), { description: 'Whether the time can be invoiced; false by default.', optional: true })
  billable!: boolean;

  @Field(note(), { description: 'Description of the work.', optional: true, nullable: true })
  note!: string | null;
}

export class StopTimer {
  @Field(id(), {
    description: 'Time entry whose timer runs; by default that of the member that the caller acts for.',
    optional: true,
  })
  id!: string;

  @Field(minutes(), {
    description:
      'Length in minutes; by default the time measured, rounded, and at least one minute. In either case at most what the other entries of the member leave of the day.',
    optional: true,
  })
  minutes!: number;

  @Field(note(), { description: 'Description of the work; replaces the note.', optional: true, nullable: true })
  note!: string | null;
}
