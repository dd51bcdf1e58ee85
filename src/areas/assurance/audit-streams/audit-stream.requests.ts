import { Field, flag, id, integer, listOf, nested, text } from '#libs/http/field.js';
import { asksForNames } from '#libs/resource/lists/named-list.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { PageInfo } from '#libs/resource/types/record.dto.js';
import { type AuditStream, auditStreams, MAX_STREAMS } from './audit-stream.js';

export type StreamPatch = Partial<
  Pick<AuditStream, 'name' | 'url' | 'bucket' | 'region' | 'prefix' | 'credentialSecretId'>
> & { status?: 'active' | 'paused' };
export type NewStream = Pick<AuditStream, 'name' | 'kind' | 'url' | 'credentialSecretId' | 'from'> & StreamPatch;

export class AuditStreamQuery extends PageQuery {}
asksForNames(AuditStreamQuery, 'oldest first');

export class AuditStreamList {
  @Field(listOf(nested(auditStreams.view), { max: MAX_STREAMS }), { description: 'The streams of this page.' })
  data!: ShownObject<AuditStream>[];

  @Field(nested(PageInfo), { description: 'Position of the page in the list.' })
  page!: PageInfo;
}

export class DeletedAuditStream {
  @Field(id(), { description: 'Id of the stream.' })
  id!: string;

  @Field(flag(), { description: 'Always true.', example: true })
  deleted!: boolean;
}

export class AuditStreamTest {
  @Field(flag(), { description: 'Whether the destination accepted the test.', example: true })
  delivered!: boolean;

  @Field(integer({ min: 100, max: 999 }), { description: 'Status of the response.', example: 200, nullable: true })
  httpStatus!: number | null;

  @Field(text({ max: 64 }), { description: 'Why it failed.', example: 'timeout', nullable: true })
  error!: string | null;

  @Field(integer({ min: 0, max: 60_000 }), { description: 'Duration in milliseconds.', example: 84 })
  durationMs!: number;
}
