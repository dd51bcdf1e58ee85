import { Field, id, instant, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { listQuery } from '#libs/resource/lists/list-query.js';
import { ActorView, mergePatchOf, pageOf } from '#libs/resource/types/record.dto.js';
import { timelineList, TimelineView } from '../timeline.dto.js';

const BODY = text({ min: 1, max: 20_000, pattern: /\S/ });
const VISIBILITY = oneOf(['internal', 'customer']);
const MENTIONS = listOf(id(), { max: 50, unique: true });

class CommentText {
  @Field(BODY, { description: 'Text, in Markdown.', example: 'Legal has **approved** the terms.' })
  body!: string;

  @Field(VISIBILITY, {
    description: 'Audience: members only, or also the customer. `internal` by default.',
    optional: true,
  })
  visibility?: 'internal' | 'customer';

  @Field(MENTIONS, { description: 'Mentioned memberships.', example: [], optional: true })
  mentions?: string[];
}

export class CreateComment extends CommentText {
  @Field(id(), {
    description: 'Comment on the same record to reply to. Replies cannot be replied to.',
    optional: true,
    nullable: true,
  })
  parentId?: string | null;
}

export const UpdateComment = mergePatchOf('UpdateComment', CommentText);

export class CommentView extends TimelineView {
  @Field(id(), { description: 'The comment that it replies to.', nullable: true })
  parentId!: string | null;

  @Field(BODY, { description: 'Text, in Markdown.', example: 'Legal has **approved** the terms.' })
  body!: string;

  @Field(VISIBILITY, { description: 'Audience: members only, or also the customer.', example: 'internal' })
  visibility!: string;

  @Field(MENTIONS, { description: 'Mentioned memberships.', example: [] })
  mentions!: string[];

  @Field(id(), { description: 'Membership that wrote it; null for a service key.', nullable: true })
  authorId!: string | null;

  @Field(instant(), { description: 'Time of the last change.', example: '2026-11-21T09:15:02.114Z' })
  updatedAt!: string;

  @Field(nested(ActorView), { description: 'Actor of the last change.' })
  updatedBy!: ActorView;
}

export const CommentPage = pageOf(CommentView);
export const CommentListQuery = listQuery('CommentListQuery', timelineList);
