import { Field, flag, integer, name, oneOf } from '#libs/http/field.js';
import { OPEN_STATES, type OpenTaskState } from './task.lifecycle.js';

const MAX_ESTIMATE_MINUTES = 1_000_000;

export const estimate = () => integer({ min: 1, max: MAX_ESTIMATE_MINUTES });

/** An item of a task's checklist. */
export class ChecklistItem {
  @Field(name(500), { description: 'Step to be done.', example: 'Ask for the logo' })
  title!: string;

  @Field(flag(), { description: 'True if the item is done.' })
  done!: boolean;
}

export class CompleteTask {
  @Field(flag(), {
    description:
      'Complete it although a task that blocks it is open; needs the scope projects:manage. False by default.',
    optional: true,
  })
  force!: boolean;
}

export class ReopenTask {
  @Field(oneOf(OPEN_STATES), { description: 'New state of the task; `todo` by default.', optional: true })
  state!: OpenTaskState;
}
