import { anyObject, Field, id, instant, nested, oneOf, text } from '#libs/http/field.js';
import { filter, listQuery, type ListOptions } from '#libs/resource/lists/list-query.js';
import { ActorView, pageOf } from '#libs/resource/types/record.dto.js';

export class ActivityState {
  @Field(text({ max: 60 }), { description: 'State.', example: 'open' })
  state!: string;

  @Field(text({ max: 60 }), { description: 'Stage, for types with stages.', example: 'proposal', nullable: true })
  stage!: string | null;
}

export class ActivityComment {
  @Field(id(), { description: 'The comment that it replies to.', nullable: true })
  parentId!: string | null;

  @Field(text({ max: 20_000 }), { description: 'Text, in Markdown.', example: 'Legal has **approved** the terms.' })
  body!: string;

  @Field(oneOf(['internal', 'customer']), {
    description: 'Audience: members only, or also the customer.',
    example: 'internal',
  })
  visibility!: string;
}

export class ActivityEntry {
  @Field(id(), { description: 'Id of the change, the transition or the comment.' })
  id!: string;

  @Field(oneOf(['change', 'transition', 'comment']), { description: 'Kind of entry.', example: 'transition' })
  kind!: string;

  @Field(instant(), { description: 'Time of the event.' })
  occurredAt!: string;

  @Field(nested(ActorView), { description: 'Actor.' })
  actor!: ActorView;

  @Field(text({ max: 200 }), {
    description: 'Event type of a change, action of a transition; null for a comment.',
    example: 'win',
    nullable: true,
  })
  action!: string | null;

  @Field(nested(ActivityState), { description: 'State before a transition.', nullable: true })
  from!: ActivityState | null;

  @Field(nested(ActivityState), { description: 'State after a transition.', nullable: true })
  to!: ActivityState | null;

  @Field(anyObject(), { description: 'Old and new value of each changed field.', nullable: true })
  changes!: object | null;

  @Field(nested(ActivityComment), { description: 'The comment.', nullable: true })
  comment!: ActivityComment | null;

  @Field(text({ max: 2_000 }), { description: 'Reason given by the caller.', nullable: true })
  reason!: string | null;
}

/** List options of the activity; column names refer to the merged rows. */
export const activityList: ListOptions = {
  filters: {
    from: filter.plain(instant(), 'gte', 'occurred_at'),
    to: filter.plain(instant(), 'lt', 'occurred_at'),
  },
  sorts: ['occurredAt'],
  defaultSort: '-occurredAt',
};

export const ActivityPage = pageOf(ActivityEntry);
export const ActivityQuery = listQuery('ActivityQuery', activityList);
