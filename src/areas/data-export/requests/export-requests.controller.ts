import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pageOf } from '#libs/resource/types/record.dto.js';
import { exportRequests, ExportRequestQuery } from './export-request.js';
import { ArchiveLink, NewExportRequest } from './export-request.requests.js';
import { ExportRequestsService } from './export-requests.service.js';
import { AUDIT, REQUEST } from './requested-kind.js';

const COMMON = { permission: REQUEST, parts: [AUDIT], tag: 'data export' } as const;

@Controller(exportRequests.path)
export class ExportRequestsController {
  constructor(private readonly requests: ExportRequestsService) {}

  @Route({
    id: 'data_export.requests.list',
    summary: 'List exports of data',
    description: 'Your own; all of the tenant with `exports:approve`.',
    query: ExportRequestQuery,
    answer: pageOf(exportRequests.view),
    problems: ['cursor_invalid'],
    ...COMMON,
  })
  @Get()
  list(@Query() query: object) {
    return this.requests.list(query);
  }

  @Route({
    id: 'data_export.requests.create',
    summary: 'Request an export of data',
    description:
      'Makes a signed archive: a file per type, its JSON Schema, and a manifest with counts and hashes, which `verify/data-export.mjs` verifies. It has the records that the lists show you, archived ones too, and what belongs to them: comments, attachments, links, history. `tenant` also has members, roles, settings, AI jobs, the ledger, webhooks and the audit log, without secrets. Restricted fields are left out, unless an owner approves with `full`. It waits for somebody with `exports:approve` where `data.exportNeedsApproval` or the gate `data.export` says so; how many, and who, is up to the gate, which is asked again when the archive is made. Kind `audit` only requires `audit:export`.',
    status: 201,
    body: NewExportRequest,
    answer: exportRequests.view,
    record: true,
    problems: ['permission_denied', 'gate_denied', 'limit_reached'],
    ...COMMON,
  })
  @Post()
  create(@Body() input: NewExportRequest) {
    return this.requests.create(input);
  }

  @Route({
    id: 'data_export.requests.get',
    summary: 'Read an export of data',
    answer: exportRequests.view,
    record: true,
    problems: ['not_found'],
    ...COMMON,
  })
  @Get(':id')
  get(@Param('id') id: string) {
    return this.requests.get(id);
  }

  @Route({
    id: 'data_export.requests.cancel',
    summary: 'Cancel an export of data',
    description: 'Ends your own export that waits or is carried out; with `exports:approve`, anybody’s.',
    answer: exportRequests.view,
    record: true,
    problems: ['not_found', 'permission_denied', 'invalid_transition', 'version_mismatch'],
    ...COMMON,
  })
  @Post(':id/cancel')
  cancel(@Param('id') id: string) {
    return this.requests.cancel(id);
  }

  @Route({
    id: 'data_export.requests.download',
    summary: 'Get a link to the archive of an export of data',
    description:
      'Only for who requested it. The link opens the archive one time within 15 minutes, without a credential. Making it and opening it are logged.',
    answer: ArchiveLink,
    problems: ['not_found', 'permission_denied', 'blocked', 'export_expired'],
    ...COMMON,
  })
  @Get(':id/download')
  download(@Param('id') id: string) {
    return this.requests.download(id);
  }
}
