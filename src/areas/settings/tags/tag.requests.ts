import { Field, id, oneOf } from '#libs/http/field.js';
import { asksForNames } from '#libs/resource/lists/named-list.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { TAG_STATUSES } from './tag.js';

export class TagQuery extends PageQuery {
  @Field(oneOf(TAG_STATUSES), { description: 'Only tags with this status; defaults to `active`.', optional: true })
  status?: (typeof TAG_STATUSES)[number];
}
asksForNames(TagQuery, '`name`');

export class MergeTag {
  @Field(id(), { description: 'Tag that replaces this one on all records.' })
  intoId!: string;
}
