import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FileContents } from '#libs/files/file-contents.js';
import { sendContent } from '#libs/http/files/send-content.js';
import { Route } from '#libs/http/route.js';
import { sent } from '#libs/resource/records/sent.js';
import { ResourceController } from '#libs/resource/routes/resource.controller.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { documents } from './document.js';
import { DocumentPreparing, type DocumentOrder } from './document-preparing.js';
import { DocumentsService, PREPARED } from './documents.service.js';

const OF_DOCUMENT = { object: documents.type, tag: 'documents documents' };

@Controller(pathOf(documents))
export class DocumentsController extends ResourceController(documents) {
  constructor(
    private readonly service: DocumentsService,
    private readonly preparing: DocumentPreparing,
    private readonly contents: FileContents,
  ) {
    super(service.records);
  }

  @Route({
    ...OF_DOCUMENT,
    id: 'documents.documents.create',
    summary: 'Make a document from a template',
    description:
      'The template is rendered at once, with the record and the data as they are now; they are kept with the document. A job makes the PDF within seconds: then the document is `rendered`. Fields of the record that you may see, and others may not, are in the document as well.',
    permission: 'documents:write',
    status: 201,
    body: documents.create,
    answer: documents.view,
    record: true,
    location: pathOf(documents),
    problems: ['duplicate', 'overloaded'],
    example: { answer: documents.example },
  })
  @Post()
  async create(@Body() input: Record<string, unknown>) {
    const prepared = await this.preparing.prepare(input as unknown as DocumentOrder); // validated
    return this.service.records.create({ ...sent(input), [PREPARED]: prepared });
  }

  @Route({
    ...OF_DOCUMENT,
    id: 'documents.documents.content',
    summary: 'Read the PDF of a document',
    description: 'Takes `Range` and `If-Range`. Only for those who may see the record that the document is about.',
    permission: 'documents:read',
    answer: [],
    bytes: true,
    problems: ['not_found', 'file_not_available', 'range_not_satisfiable', 'unavailable'],
  })
  @Get(':id/content')
  async content(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { row, content } = await this.service.contentOf(id);
    await sendContent(request, reply, this.contents, content, { name: `${row.name}.pdf`, inline: true });
  }
}
