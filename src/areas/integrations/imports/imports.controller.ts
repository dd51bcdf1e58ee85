import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FileContents } from '#libs/files/file-contents.js';
import { sendContent } from '#libs/http/files/send-content.js';
import { Route } from '#libs/http/route.js';
import { Deleted, pageOf } from '#libs/resource/types/record.dto.js';
import { MAX_ROWS } from './import-fields.js';
import { ImportFaultPage, ImportFaultQuery } from './import-rows.js';
import { ROLLBACK_HOURS } from './import-runs.js';
import { ImportListQuery, ImportPatch, imports, NewImport } from './import.js';
import { type ImportPatchBody, ImportsService, KEPT_DAYS, type NewImportBody } from './imports.service.js';

const WRITES = { scope: '*', when: 'Always: the permission to write records of the type.' } as const;
const COMMON = { permission: 'imports:run', tag: 'integrations imports' } as const;
const WORKS = { ...COMMON, besides: [WRITES], status: 202, answer: imports.view, record: true } as const;

@Controller(imports.path)
export class ImportsController {
  constructor(
    private readonly service: ImportsService,
    private readonly contents: FileContents,
  ) {}

  @Route({
    ...COMMON,
    id: 'integrations.imports.list',
    summary: 'List imports',
    description: 'Your own imports.',
    query: ImportListQuery,
    answer: pageOf(imports.view),
    problems: ['cursor_invalid'],
  })
  @Get()
  list(@Query() query: object) {
    return this.service.list(query);
  }

  @Route({
    ...COMMON,
    id: 'integrations.imports.create',
    summary: 'Prepare an import',
    description: `Reads the columns of a file, with at most ${MAX_ROWS} rows, and suggests their fields. Encoding (UTF-8, UTF-16, Windows-1252) and separator are found by themselves. Then \`validate\` says which rows cannot be imported, and \`run\` imports the others. Cells of \`csv\` without content change nothing. Texts that an export has begun with \`'\` come back as they were.`,
    besides: [WRITES, { scope: '*:read', when: 'Always: the right to read the file.' }],
    status: 201,
    body: NewImport,
    answer: imports.view,
    record: true,
    problems: ['permission_denied', 'file_not_available', 'limit_reached'],
    example: {
      body: {
        object: 'sales.deal',
        fileId: imports.example['fileId'],
        format: 'csv',
        mapping: { Deal: 'name', Amount: 'value' },
      },
      answer: imports.example,
    },
  })
  @Post()
  create(@Body() input: NewImportBody) {
    return this.service.create(input);
  }

  @Route({
    ...COMMON,
    id: 'integrations.imports.get',
    summary: 'Read an import',
    answer: imports.view,
    record: true,
    problems: ['not_found'],
  })
  @Get(':id')
  get(@Param('id') id: string) {
    return this.service.get(id);
  }

  @Route({
    ...COMMON,
    id: 'integrations.imports.update',
    summary: 'Change the mapping or mode of an import',
    description: 'While it is `draft` or `validated`; it has to be validated anew.',
    besides: [WRITES],
    body: ImportPatch,
    answer: imports.view,
    record: true,
    problems: ['not_found', 'permission_denied', 'invalid_transition', 'version_mismatch'],
  })
  @Patch(':id')
  update(@Param('id') id: string, @Body() patch: ImportPatchBody) {
    return this.service.update(id, patch);
  }

  @Route({
    ...COMMON,
    id: 'integrations.imports.delete',
    summary: 'Remove an import',
    description: `With its rows; the records stay. It is removed by itself after ${KEPT_DAYS} days.`,
    answer: Deleted,
    problems: ['not_found', 'invalid_transition', 'version_mismatch'],
  })
  @Delete(':id')
  remove(@Param('id') id: string) {
    return this.service.remove(id);
  }

  @Route({
    ...WORKS,
    id: 'integrations.imports.validate',
    summary: 'Validate an import',
    description: 'A job tries every row as `run` does, and undoes it. `errors` lists what is wrong with each row.',
    problems: ['not_found', 'permission_denied', 'invalid_transition', 'version_mismatch'],
  })
  @Post(':id/validate')
  @HttpCode(202)
  validate(@Param('id') id: string) {
    return this.service.begin(id, 'validate');
  }

  @Route({
    ...WORKS,
    id: 'integrations.imports.run',
    summary: 'Run an import',
    description:
      'A job imports all rows of a validated import with your rights, which are asked again for each part: each record as if you had sent it, with its checks, audit entry and event. Rows that are refused are in `errors`.',
    problems: ['not_found', 'permission_denied', 'invalid_transition', 'version_mismatch'],
  })
  @Post(':id/run')
  @HttpCode(202)
  run(@Param('id') id: string) {
    return this.service.begin(id, 'run');
  }

  @Route({
    ...WORKS,
    id: 'integrations.imports.rollback',
    summary: 'Roll an import back',
    description: `For ${ROLLBACK_HOURS} hours after it ended, also if it failed or was cancelled: records that it created go into the trash, fields that it changed become what they were. Records that were changed since stay.`,
    problems: ['not_found', 'permission_denied', 'invalid_transition', 'blocked', 'version_mismatch'],
  })
  @Post(':id/rollback')
  @HttpCode(202)
  rollBack(@Param('id') id: string) {
    return this.service.begin(id, 'roll_back');
  }

  @Route({
    ...COMMON,
    id: 'integrations.imports.cancel',
    summary: 'Cancel an import',
    description: 'Ends the job that works on it. What it has imported stays, and can be rolled back.',
    answer: imports.view,
    record: true,
    problems: ['not_found', 'invalid_transition', 'version_mismatch'],
  })
  @Post(':id/cancel')
  cancel(@Param('id') id: string) {
    return this.service.cancel(id);
  }

  @Route({
    ...COMMON,
    id: 'integrations.imports.errors',
    summary: 'List why rows of an import are refused',
    query: ImportFaultQuery,
    answer: ImportFaultPage,
    problems: ['not_found', 'cursor_invalid'],
  })
  @Get(':id/errors')
  errors(@Param('id') id: string, @Query() query: object) {
    return this.service.errors(id, query);
  }

  @Route({
    ...COMMON,
    id: 'integrations.imports.refused',
    summary: 'Download the refused rows of an import',
    description:
      'All columns of the rows that the last validation or run has refused, with `importRow` and `importErrors`: correct them and import the file again. Each download is logged.',
    answer: [],
    bytes: true,
    problems: ['not_found', 'blocked', 'range_not_satisfiable'],
  })
  @Get(':id/errors.csv')
  async refused(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { content, name } = await this.service.refused(id);
    await sendContent(request, reply, this.contents, content, { name, inline: false });
  }
}
