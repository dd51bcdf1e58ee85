import { Field, id, nested, oneOf, text } from '#libs/http/field.js';
import { listQuery } from '#libs/resource/lists/list-query.js';
import { pageOf } from '#libs/resource/types/record.dto.js';
import { timelineList, TimelineView } from '../timeline.dto.js';
import { RELATIONS, SHOWN_RELATIONS } from './link.relations.js';

const TYPE = text({ min: 3, max: 60, pattern: /^[a-z_]+\.[a-z_]+$/, form: 'the type of a record, such as sales.deal' });

export class LinkTarget {
  @Field(TYPE, { description: 'Type of the other record.', example: 'sales.deal' })
  object!: string;

  @Field(id(), { description: 'Id of the other record.' })
  id!: string;
}

export class CreateLink {
  @Field(oneOf(RELATIONS), { description: 'Relation of the record in the path to the other one.', example: 'blocks' })
  relation!: string;

  @Field(nested(LinkTarget), { description: 'The other record.' })
  target!: LinkTarget;
}

export class LinkedRecord extends LinkTarget {
  @Field(text({ max: 40 }), { description: 'Its reference; null in events.', example: 'DEAL-000124', nullable: true })
  reference!: string | null;

  @Field(text({ max: 200 }), { description: 'Its name; null in events.', example: 'Acme renewal', nullable: true })
  name!: string | null;

  @Field(text({ max: 300 }), {
    description: 'Its path in the API.',
    example: '/api/v1/sales/deals/019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
  })
  url!: string;
}

export class LinkView extends TimelineView {
  @Field(oneOf(SHOWN_RELATIONS), {
    description: 'Relation of the record to the other one, as seen from the record in the path.',
    example: 'blocks',
  })
  relation!: string;

  @Field(nested(LinkedRecord), { description: 'The other record.' })
  target!: LinkedRecord;
}

export const LinkPage = pageOf(LinkView);
export const LinkListQuery = listQuery('LinkListQuery', timelineList);
