import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FileContents } from '#libs/files/file-contents.js';
import { FileLinks } from '#libs/http/files/file-links.js';
import { sendContent } from '#libs/http/files/send-content.js';
import { Route } from '#libs/http/route.js';
import { Problem } from '#libs/kernel/problem.js';
import { FILE_TYPE } from '#libs/resource/files/file-uses.js';
import { itemQuery } from '#libs/resource/lists/list-shape.js';
import { sent } from '#libs/resource/records/sent.js';
import { ResourceController } from '#libs/resource/routes/resource.controller.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { FileForm, files, FileVersionList } from './file.js';
import { FileContentQuery, FileLinkView, FileOnlyForm, RestoreFileVersion } from './file.requests.js';
import { CONTENT, FilesService } from './files.service.js';

const OF_FILE = { object: FILE_TYPE, tag: 'documents files' };
const LINK_MINUTES = 15;
const IN_TWO_STEPS =
  'As a form (`multipart/form-data`) with `name`, `folder` and `confidential` before the part `file`; or in two steps: this JSON announces the file, and `upload` of the response says where to send the bytes. The media type is found by the bytes. Under an `Idempotency-Key`, a form with other bytes is another request. A file that is scanned for viruses can be read once the scan has found nothing.';

@Controller(pathOf(files))
export class FilesController extends ResourceController(files) {
  constructor(
    private readonly service: FilesService,
    private readonly contents: FileContents,
    private readonly links: FileLinks,
  ) {
    super(service.records);
  }

  @Route({
    ...OF_FILE,
    id: 'documents.files.create',
    summary: 'Upload a file, or announce one',
    description: IN_TWO_STEPS,
    permission: 'files:write',
    status: 201,
    body: files.create,
    upload: { form: FileForm },
    answer: files.view,
    record: true,
    secretAnswer: ['upload'],
    problems: ['duplicate', 'storage_quota_exceeded', 'payload_too_large', 'unavailable'],
    keyInFlight: true,
    example: { body: files.bodies?.['create'], answer: files.example },
  })
  @Post()
  async create(@Body() input: Record<string, unknown>, @Req() { upload }: FastifyRequest) {
    if (!upload) return this.service.records.create(sent(input));
    const content = await upload.store({ sealed: input['confidential'] === true });
    return this.service.records.create({ ...sent(input), [CONTENT]: content });
  }

  @Route({
    ...OF_FILE,
    id: 'documents.files.get',
    summary: 'Read a file',
    description: 'Its metadata. Whoever may see a record that names a file may read it, unless it is confidential.',
    permission: 'files:read',
    query: itemQuery(files),
    answer: files.view,
    record: true,
    example: { answer: files.example },
  })
  @Get(':id')
  get(@Param('id') id: string, @Query() query: Record<string, unknown>) {
    return this.service.get(id, query);
  }

  @Route({
    ...OF_FILE,
    id: 'documents.files.content',
    summary: 'Read the bytes of a file',
    description:
      'Takes `Range` and `If-Range`. Types that could run something in a browser are always offered for download.',
    permission: 'files:read',
    query: FileContentQuery,
    answer: [],
    bytes: true,
    problems: ['not_found', 'file_not_available', 'range_not_satisfiable', 'unavailable'],
  })
  @Get(':id/content')
  async content(
    @Param('id') id: string,
    @Query() { version }: FileContentQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { file, content } = await this.service.contentOf(id, version);
    await sendContent(request, reply, this.contents, content, { name: file.name, inline: true });
  }

  @Route({
    ...OF_FILE,
    id: 'documents.files.link',
    summary: 'Make a link to the bytes of a file',
    description: `The link needs no credential and works for ${LINK_MINUTES} minutes, unless the file is put into the trash or in quarantine.`,
    permission: 'files:read',
    answer: FileLinkView,
    safe: true,
    problems: ['not_found', 'file_not_available'],
  })
  @Post(':id/link')
  async link(@Param('id') id: string): Promise<FileLinkView> {
    const { file, content } = await this.service.contentOf(id);
    return this.links.make({
      contentId: content.id,
      use: { object: FILE_TYPE, id },
      name: file.name,
      inline: true,
      once: false,
      minutes: LINK_MINUTES,
    });
  }

  @Route({
    ...OF_FILE,
    id: 'documents.files.versions',
    summary: 'List the versions of a file',
    permission: 'files:read',
    answer: FileVersionList,
    problems: ['not_found'],
  })
  @Get(':id/versions')
  async versions(@Param('id') id: string): Promise<FileVersionList> {
    return { versions: await this.service.listVersions(id) };
  }

  @Route({
    ...OF_FILE,
    id: 'documents.files.add_version',
    summary: 'Upload a new version of a file',
    description: 'As a form (`multipart/form-data`) with the part `file`. It becomes the current version.',
    permission: 'files:write',
    upload: { form: FileOnlyForm },
    answer: files.view,
    record: true,
    problems: [
      'not_found',
      'record_locked',
      'limit_reached',
      'file_not_available',
      'storage_quota_exceeded',
      'payload_too_large',
      'unavailable',
    ],
  })
  @Post(':id/versions')
  async addVersion(@Param('id') id: string, @Req() { upload }: FastifyRequest) {
    const { confidential } = await this.service.records.read(id);
    if (!upload)
      throw Problem.validation([{ pointer: '/file', code: 'required', detail: 'Send a form with the part `file`.' }]);
    return this.service.addVersion(id, await upload.store({ sealed: confidential }));
  }

  @Route({
    ...OF_FILE,
    id: 'documents.files.restore_version',
    summary: 'Make an earlier version of a file the current one',
    permission: 'files:write',
    body: RestoreFileVersion,
    answer: files.view,
    record: true,
    problems: ['not_found', 'invalid_transition', 'record_locked', 'file_not_available'],
  })
  @Post(':id/restore-version')
  restoreVersion(@Param('id') id: string, @Body() { version }: RestoreFileVersion) {
    return this.service.restoreVersion(id, version);
  }
}
