import { Body, Controller, Param, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { routesOf } from '#libs/resource/routes/object-routes.js';
import { AuditStreamTests } from './audit-stream-tests.service.js';
import { auditStreams } from './audit-stream.js';
import {
  AuditStreamList,
  AuditStreamQuery,
  AuditStreamTest,
  DeletedAuditStream,
  type NewStream,
  type StreamPatch,
} from './audit-stream.requests.js';
import { AuditStreamsService } from './audit-streams.service.js';

const tag = 'admin audit logs';
const reading = routesOf(auditStreams, 'admin.audit_streams', { permission: 'audit:read', tag });
const CHANGE = { permission: 'audit:export', protected: true, tag } as const;
const changing = routesOf(auditStreams, 'admin.audit_streams', CHANGE);
const besides = [{ scope: 'secrets:manage' as const, when: 'To set the address or the credential.' }];
const example = { answer: auditStreams.example };

@Controller(auditStreams.path)
export class AuditStreamsController {
  constructor(
    private readonly streams: AuditStreamsService,
    private readonly tests: AuditStreamTests,
  ) {}

  @reading.list({ summary: 'List streams of the audit log', query: AuditStreamQuery, answer: AuditStreamList })
  list(@Query() query: AuditStreamQuery) {
    return this.streams.objects.shortList(query);
  }

  @changing.create({
    summary: 'Stream the audit log to a destination',
    description:
      'Sends each entry in order, at least once, in batches of at most 500 entries or 1 MiB. An entry has the form of a line of an ndjson export. Nothing is skipped while the destination is down. A repeated batch has the same `webhook-id` or object key.',
    besides,
    status: 200,
    record: false,
    problems: ['limit_reached', 'permission_denied'],
    example,
  })
  create(@Body() input: NewStream) {
    return this.streams.create(input);
  }

  @reading.read({ summary: 'Read a stream of the audit log', example })
  get(@Param('id') id: string) {
    return this.streams.objects.get(id);
  }

  @changing.update({
    summary: 'Change, pause or resume a stream of the audit log',
    description: 'A resumed stream continues with the entry after its cursor.',
    besides,
    problems: ['permission_denied'],
    example,
  })
  update(@Param('id') id: string, @Body() patch: StreamPatch) {
    return this.streams.update(id, patch);
  }

  @changing.remove({ summary: 'Delete a stream of the audit log', answer: DeletedAuditStream })
  remove(@Param('id') id: string) {
    return this.streams.objects.delete(id);
  }

  @Route({
    ...CHANGE,
    id: 'admin.audit_streams.test',
    summary: 'Test the destination of a stream of the audit log',
    description:
      'Makes one request with a single line that is not an entry (`object: audit.stream_test`), to `s3` as the object `test.ndjson`. The position of the stream does not change.',
    answer: AuditStreamTest,
    problems: ['not_found'],
  })
  @Post(':id/test')
  test(@Param('id') id: string) {
    return this.tests.run(id);
  }
}
