import { Field, flag, id, integer, name, text } from '#libs/http/field.js';
import { taskStateKey } from './task.lifecycle.js';

const MAX_ESTIMATE_MINUTES = 1_000_000;

export const estimate = () => integer({ min: 1, max: MAX_ESTIMATE_MINUTES });

/** An item of a task's checklist. */
export class ChecklistItem {
  @Field(name(500), { description: 'Step to be done.', example: 'Ask for the logo' })
  title!: string;

  @Field(flag(), { description: 'True if the item is done.' })
  done!: boolean;
}

/** The record that a task follows up. */
export class RelatedRecord {
  @Field(text({ min: 3, max: 60 }), { description: 'Type of the record.', example: 'sales.deal' })
  object!: string;

  @Field(id(), { description: 'Id of the record.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20' })
  id!: string;
}

export class CompleteTask {
  @Field(flag(), {
    description:
      'Complete it although a task that blocks it is open; needs the scope projects:manage. False by default.',
    optional: true,
  })
  force!: boolean;

  @Field(taskStateKey(), { description: 'State of the category `done`; `done` by default.', optional: true })
  state?: string;
}

export class CancelTask {
  @Field(taskStateKey(), { description: 'State of the category `cancelled`; `cancelled` by default.', optional: true })
  state?: string;
}

export class MoveTask {
  @Field(taskStateKey(), { description: 'New state of the task.', example: 'qa' })
  state!: string;
}

export class ReopenTask {
  @Field(taskStateKey(), { description: 'Open state; `todo` by default.', optional: true })
  state?: string;
}
