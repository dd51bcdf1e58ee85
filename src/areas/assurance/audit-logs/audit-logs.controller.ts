import { Controller, Get, Param, Query } from '@nestjs/common';
import { READS_TYPES } from '#libs/resource/routes/of-record.js';
import { Route } from '#libs/http/route.js';
import {
  AuditEntryDetail,
  AuditEntryQuery,
  AuditLogPage,
  AuditLogQuery,
  ConsistencyProof,
  ConsistencyQuery,
} from './audit-log.dto.js';
import { AuditExport, AuditExportQuery } from './audit-export.dto.js';
import { AuditExports } from './audit-export.service.js';
import { AuditLogsService } from './audit-logs.service.js';

@Controller('api/admin/audit-logs')
export class AuditLogsController {
  constructor(
    private readonly service: AuditLogsService,
    private readonly exports: AuditExports,
  ) {}

  @Route({
    id: 'admin.audit_logs.list',
    summary: 'List the audit log',
    description:
      'Lists all entries; with a limited reach, entries about records within it and your own actions. `tree` is the newest checkpoint of the whole log.',
    permission: 'audit:read',
    besides: [READS_TYPES],
    withinReach: true,
    query: AuditLogQuery,
    answer: AuditLogPage,
    problems: ['cursor_invalid'],
    tag: 'admin audit logs',
  })
  @Get()
  list(@Query() query: Record<string, unknown>) {
    return this.service.list(query);
  }

  @Route({
    id: 'admin.audit_logs.export',
    summary: 'Export the audit log with its proofs',
    description:
      'All entries of a range, and those numbered between them; with other filters only those that pass, each with a proof of its own. The signed manifest at the end proves them offline: `verify/audit.mjs`. `ndjson` has a line per entry and one with `manifest`; `csv` has the manifest behind `#manifest `. The log is sealed first.',
    permission: 'audit:export',
    besides: [READS_TYPES],
    protected: true,
    query: AuditExportQuery,
    answer: AuditExport,
    downloads: ['application/x-ndjson', 'text/csv'],
    problems: ['unavailable'],
    tag: 'admin audit logs',
  })
  @Get('export')
  export(@Query() query: Record<string, unknown>) {
    return this.exports.write(query);
  }

  @Route({
    id: 'admin.audit_logs.consistency',
    summary: 'Prove that the audit log has only grown',
    description:
      'The proof that the tree of one size begins with the tree of another: whoever has kept a checkpoint can verify that nothing before it has changed.',
    permission: 'audit:read',
    query: ConsistencyQuery,
    answer: ConsistencyProof,
    tag: 'admin audit logs',
  })
  @Get('consistency')
  consistency(@Query() { from, to }: ConsistencyQuery) {
    return this.service.consistency(from, to);
  }

  @Route({
    id: 'admin.audit_logs.get',
    summary: 'Read an entry of the audit log',
    description: 'With `include=proof` the entry is sealed first where it is not, and its proof of inclusion added.',
    permission: 'audit:read',
    besides: [READS_TYPES],
    withinReach: true,
    query: AuditEntryQuery,
    answer: AuditEntryDetail,
    problems: ['not_found', 'unavailable'],
    tag: 'admin audit logs',
  })
  @Get(':id')
  get(@Param('id') id: string, @Query() { include = [] }: AuditEntryQuery) {
    return this.service.get(id, include);
  }
}
