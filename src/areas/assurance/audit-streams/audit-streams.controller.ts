import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
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

const READ = 'audit:read';
const CHANGE = 'audit:export';
const besides = [{ scope: 'secrets:manage' as const, when: 'To set the address or the credential.' }];

@Controller(auditStreams.path)
export class AuditStreamsController {
  constructor(
    private readonly streams: AuditStreamsService,
    private readonly tests: AuditStreamTests,
  ) {}

  @Route({
    id: 'admin.audit_streams.list',
    summary: 'List streams of the audit log',
    permission: READ,
    query: AuditStreamQuery,
    answer: AuditStreamList,
    problems: ['cursor_invalid'],
    tag: 'admin audit logs',
  })
  @Get()
  list(@Query() query: AuditStreamQuery) {
    return this.streams.list(query);
  }

  @Route({
    id: 'admin.audit_streams.create',
    summary: 'Stream the audit log to a destination',
    description:
      'Sends each entry in order, at least once, in batches of at most 500 entries or 1 MiB. An entry has the form of a line of an ndjson export. Nothing is skipped while the destination is down. A repeated batch has the same `webhook-id` or object key.',
    permission: CHANGE,
    protected: true,
    besides,
    body: auditStreams.create,
    answer: auditStreams.view,
    problems: ['limit_reached', 'permission_denied'],
    example: { answer: auditStreams.example },
    tag: 'admin audit logs',
  })
  @Post()
  create(@Body() input: NewStream) {
    return this.streams.create(input);
  }

  @Route({
    id: 'admin.audit_streams.get',
    summary: 'Read a stream of the audit log',
    permission: READ,
    answer: auditStreams.view,
    record: true,
    problems: ['not_found'],
    example: { answer: auditStreams.example },
    tag: 'admin audit logs',
  })
  @Get(':id')
  get(@Param('id') id: string) {
    return this.streams.get(id);
  }

  @Route({
    id: 'admin.audit_streams.update',
    summary: 'Change, pause or resume a stream of the audit log',
    description: 'A resumed stream continues with the entry after its cursor.',
    permission: CHANGE,
    protected: true,
    besides,
    body: auditStreams.update,
    answer: auditStreams.view,
    record: true,
    problems: ['not_found', 'version_mismatch', 'permission_denied'],
    example: { answer: auditStreams.example },
    tag: 'admin audit logs',
  })
  @Patch(':id')
  update(@Param('id') id: string, @Body() patch: StreamPatch) {
    return this.streams.update(id, patch);
  }

  @Route({
    id: 'admin.audit_streams.delete',
    summary: 'Delete a stream of the audit log',
    permission: CHANGE,
    protected: true,
    answer: DeletedAuditStream,
    problems: ['not_found', 'version_mismatch'],
    tag: 'admin audit logs',
  })
  @Delete(':id')
  remove(@Param('id') id: string) {
    return this.streams.remove(id);
  }

  @Route({
    id: 'admin.audit_streams.test',
    summary: 'Test the destination of a stream of the audit log',
    description:
      'Makes one request with a single line that is not an entry (`object: audit.stream_test`), to `s3` as the object `test.ndjson`. The position of the stream does not change.',
    permission: CHANGE,
    protected: true,
    answer: AuditStreamTest,
    problems: ['not_found'],
    tag: 'admin audit logs',
  })
  @Post(':id/test')
  test(@Param('id') id: string) {
    return this.tests.run(id);
  }
}
