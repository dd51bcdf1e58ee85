import { Field, id } from '#libs/http/field.js';
import { listQuery } from '#libs/resource/lists/list-query.js';
import { pageOf } from '#libs/resource/types/record.dto.js';
import { timelineList, TimelineView } from '../timeline.dto.js';

export class CreateWatcher {
  @Field(id(), {
    description: 'Membership of the watcher; defaults to the member that you act for.',
    optional: true,
  })
  membershipId?: string;
}

export class WatcherView extends TimelineView {
  @Field(id(), { description: 'Membership of the watcher; also the id.' })
  membershipId!: string;
}

export const WatcherPage = pageOf(WatcherView);
export const WatcherListQuery = listQuery('WatcherListQuery', timelineList);
