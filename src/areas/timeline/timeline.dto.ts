import { Field, id, instant, integer, nested, text } from '#libs/http/field.js';
import { filter, type ListOptions } from '#libs/resource/lists/list-query.js';
import { ActorView } from '#libs/resource/types/record.dto.js';

/** Reference to a record of any type. */
export class RecordPointer {
  @Field(text({ max: 60 }), { description: 'Type of the record.', example: 'sales.deal' })
  object!: string;

  @Field(id(), { description: 'Id of the record.' })
  id!: string;
}

/** Common fields of timeline objects. */
export abstract class TimelineView {
  @Field(id(), { description: 'Id, as used in the path.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1c40' })
  id!: string;

  @Field(text({ max: 60 }), { description: 'Type of the object.', example: 'core.comment' })
  object!: string;

  @Field(nested(RecordPointer), { description: 'The record that it belongs to.' })
  record!: RecordPointer;

  @Field(integer({ min: 1, max: 2_147_483_647 }), {
    description: 'Increases with each change; also the ETag.',
    example: 1,
  })
  version!: number;

  @Field(instant(), { description: 'Time of creation.', example: '2026-11-21T09:15:02.114Z' })
  createdAt!: string;

  @Field(nested(ActorView), { description: 'Creator.' })
  createdBy!: ActorView;
}

const byTime = { sorts: ['createdAt'], defaultSort: '-createdAt' };

/** Query options of a record's timeline lists. */
export const timelineList: ListOptions = { ...byTime, filters: { createdAt: filter.ordered(instant()) } };

/** The same plus the record identified by the path. */
export const recordList: ListOptions = {
  ...byTime,
  filters: { ...timelineList.filters, recordId: filter.exact(id()) },
};
