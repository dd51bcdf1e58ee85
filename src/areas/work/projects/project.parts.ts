import { Field, id, integer, text } from '#libs/http/field.js';
import { Ranks } from '../ranks.js';

export const HEALTH = ['unknown', 'on_track', 'at_risk', 'off_track'] as const;
export type Health = (typeof HEALTH)[number];
export const healthRanks = new Ranks<Health>(HEALTH);

export const roleName = () =>
  text({
    min: 1,
    max: 40,
    pattern: /^[a-z][a-z0-9_]*$/,
    form: 'a lower-case letter followed by lower-case letters, digits and underscores',
  });

/** A person assigned to a role of the template. */
export class ProjectRole {
  @Field(roleName(), { description: 'Role, as the tasks of the template name it.', example: 'lead' })
  role!: string;

  @Field(id(), { description: 'Membership that takes it and becomes a member of the project.' })
  memberId!: string;
}

const count = () => integer({ min: 0, max: 2_147_483_647 });

/** Number of tasks per state category. */
export class TaskCounts {
  @Field(count(), { description: 'Not planned yet.' })
  backlog!: number;

  @Field(count(), { description: 'Planned, and not started.' })
  unstarted!: number;

  @Field(count(), { description: 'In progress or in review.' })
  started!: number;

  @Field(count(), { description: 'Done.' })
  done!: number;

  @Field(count(), { description: 'Cancelled.' })
  cancelled!: number;
}
