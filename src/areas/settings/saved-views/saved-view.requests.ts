import { Field, oneOf } from '#libs/http/field.js';
import { SHARES } from '#libs/members/sharing.js';
import { typeKey } from '#libs/resource/lists/stored-filter.js';
import { asksForNames } from '#libs/resource/lists/named-list.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { type SavedView, VIEW_STATUSES } from './saved-view.js';

type ViewOptions = Partial<Pick<SavedView, 'filter' | 'sort' | 'columns' | 'shared' | 'workspaceId'>>;
export type NewSavedView = Pick<SavedView, 'name' | 'recordType'> & ViewOptions;
export type SavedViewPatch = Partial<Pick<SavedView, 'name'>> & ViewOptions;

export class SavedViewQuery extends PageQuery {
  @Field(typeKey(), { description: 'Only views of this type.', example: 'sales.deal', optional: true })
  recordType?: string;

  @Field(oneOf(SHARES), { description: 'Only views with this sharing.', optional: true })
  shared?: SavedView['shared'];

  @Field(oneOf(VIEW_STATUSES), {
    description: 'Only views with this status; defaults to `active`.',
    optional: true,
  })
  status?: (typeof VIEW_STATUSES)[number];
}
asksForNames(SavedViewQuery, '`name`');
