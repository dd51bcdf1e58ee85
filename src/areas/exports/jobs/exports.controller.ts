import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FileContents } from '#libs/files/file-contents.js';
import { accepted } from '#libs/http/accepted.js';
import { sendContent } from '#libs/http/files/send-content.js';
import { Route } from '#libs/http/route.js';
import { pageOf } from '#libs/resource/types/record.dto.js';
import { MEDIA_TYPES } from '../table/export-writer.js';
import { MAX_INLINE_ROWS, MAX_ROWS } from './export-fields.js';
import { exportJobs, ExportListQuery, ExportQuery } from './export-job.js';
import { KEPT_DAYS } from './export-runs.js';
import { ExportsService, type NewExport } from './exports.service.js';

const READS = { scope: '*:read', when: 'Always: the read permission of the type.' } as const;
const COMMON = { ofPerson: true, tag: 'exports' } as const;

@Controller(exportJobs.path)
export class ExportsController {
  constructor(
    private readonly exports: ExportsService,
    private readonly contents: FileContents,
  ) {}

  @Route({
    id: 'exports.jobs.list',
    summary: 'List exports',
    description: 'Your own exports, and those of schedules that were sent to you.',
    permission: 'exports:read',
    query: ExportListQuery,
    answer: pageOf(exportJobs.view),
    problems: ['cursor_invalid'],
    ...COMMON,
  })
  @Get()
  list(@Query() query: object) {
    return this.exports.list(query);
  }

  @Route({
    id: 'exports.jobs.start',
    summary: 'Export a list',
    description: `Makes a file with the records of a list, at most ${MAX_ROWS}, which is kept for ${KEPT_DAYS} days: the same records, in the same order, as the list shows them to you with this query. Which records it has is decided at \`asOf\`; each is written as it is when its turn comes, and is left out if you may not see it any more. Restricted fields that you may not see are left out too. In \`csv\`, texts that a spreadsheet would calculate begin with \`'\`. Amounts have a column in minor units and one in major units. With \`inline=true\` the response is the file, for at most ${MAX_INLINE_ROWS} records.`,
    permission: 'exports:write',
    besides: [READS],
    query: ExportQuery,
    body: exportJobs.create,
    answer: [],
    accepted: exportJobs.view,
    downloads: Object.values(MEDIA_TYPES),
    problems: ['permission_denied', 'limit_reached', 'export_too_large'],
    ...COMMON,
  })
  @Post()
  create(@Body() input: NewExport, @Query() { inline = false }: { inline?: boolean }) {
    return inline ? this.exports.inline(input) : this.exports.create(input).then(accepted);
  }

  @Route({
    id: 'exports.jobs.get',
    summary: 'Read an export',
    permission: 'exports:read',
    answer: exportJobs.view,
    problems: ['not_found'],
    ...COMMON,
  })
  @Get(':id')
  get(@Param('id') id: string) {
    return this.exports.get(id);
  }

  @Route({
    id: 'exports.jobs.download',
    summary: 'Download the file of an export',
    description: 'Requires that you may still see the list and all fields; each download is logged.',
    permission: 'exports:read',
    besides: [READS],
    answer: [],
    bytes: true,
    problems: [
      'not_found',
      'permission_denied',
      'field_forbidden',
      'blocked',
      'export_expired',
      'range_not_satisfiable',
    ],
    ...COMMON,
  })
  @Get(':id/download')
  async download(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { content, name } = await this.exports.download(id);
    await sendContent(request, reply, this.contents, content, { name, inline: false });
  }

  @Route({
    id: 'exports.jobs.cancel',
    summary: 'Cancel an export',
    description: 'Ends your own export that is queued or running, with its job.',
    permission: 'exports:write',
    answer: exportJobs.view,
    problems: ['not_found', 'permission_denied', 'invalid_transition'],
    ...COMMON,
  })
  @Post(':id/cancel')
  cancel(@Param('id') id: string) {
    return this.exports.cancel(id);
  }
}
