import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { ModelClass } from '#libs/http/field.js';
import { answerExample } from '#libs/http/openapi/examples.js';
import { inlineSchemaOf } from '#libs/http/schema.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { AttachmentView } from './attachments/attachment.dto.js';
import { CommentView } from './comments/comment.dto.js';
import { LinkView } from './links/link.dto.js';
import { WatcherView } from './watchers/watcher.dto.js';

/** The deal that examples hang on. */
const DEAL = { object: 'sales.deal', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20' };

const EVENTS: { type: string; collection: string; view: ModelClass; happened: Record<string, string> }[] = [
  {
    type: 'core.comment',
    collection: 'comments',
    view: CommentView,
    happened: {
      created: 'Someone commented on a record.',
      updated: 'A comment was edited.',
      deleted: 'A comment was deleted.',
    },
  },
  {
    type: 'core.attachment',
    collection: 'attachments',
    view: AttachmentView,
    happened: { created: 'A file was attached to a record.', deleted: 'A file was taken off a record.' },
  },
  {
    type: 'core.link',
    collection: 'links',
    view: LinkView,
    happened: { created: 'Two records were linked.', deleted: 'A link between two records was removed.' },
  },
  {
    type: 'core.watcher',
    collection: 'watchers',
    view: WatcherView,
    happened: { created: 'Someone watches a record.', deleted: 'Someone no longer watches a record.' },
  },
];

/** Declares the events about what hangs on records, when the process starts. */
@Injectable()
export class TimelineEvents implements OnModuleInit {
  constructor(private readonly events: EventCatalogue) {}

  onModuleInit(): void {
    for (const { type, collection, view, happened } of EVENTS)
      for (const [verb, description] of Object.entries(happened))
        this.events.add({
          type: `${type}.${verb}`,
          version: 1,
          description,
          data: inlineSchemaOf(view),
          example: { ...answerExample(view), object: type, record: DEAL },
          subjectType: type,
          exampleUrl: `/api/v1/sales/deals/${DEAL.id}/${collection}`,
        });
  }
}
