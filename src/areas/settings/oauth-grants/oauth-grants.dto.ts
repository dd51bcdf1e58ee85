import { Field, oneOf } from '#libs/http/field.js';
import { GRANT_STATUSES } from '#libs/members/grant.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';

export class OauthGrantQuery extends PageQuery {
  @Field(oneOf(GRANT_STATUSES), { description: 'Only grants with this status.', optional: true })
  status?: (typeof GRANT_STATUSES)[number];
}
