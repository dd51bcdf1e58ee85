import { Controller, Get, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { AuditLogPage, AuditLogQuery } from './audit-log.dto.js';
import { AuditLogsService } from './audit-logs.service.js';

@Controller('api/admin/audit-logs')
export class AuditLogsController {
  constructor(private readonly service: AuditLogsService) {}

  @Route({
    id: 'admin.audit_logs.list',
    summary: 'List the audit log',
    description: 'Lists all entries; with a limited reach, entries about records within it and your own actions.',
    permission: 'audit:read',
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
}
