import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FileContents } from '#libs/files/file-contents.js';
import { text } from '#libs/http/field.js';
import { sendContent } from '#libs/http/files/send-content.js';
import { Route } from '#libs/http/route.js';
import { FileOpeningsService } from './file-openings.service.js';

@Controller('api/files')
export class PublicFilesController {
  constructor(
    private readonly openings: FileOpeningsService,
    private readonly contents: FileContents,
  ) {}

  @Route({
    id: 'public.files.get',
    summary: 'Read a file by a signed link',
    description:
      'Without signing in, for as long as the link is good. Takes `Range` and `If-Range`. Unknown, expired, used and malformed links return the same 404, and so do links to a file that is in the trash or in quarantine. Types that could run something in a browser are always offered for download.',
    permission: 'public',
    params: { token: { kind: text({ min: 1, max: 500 }), description: 'The token from the link.' } },
    answer: [],
    bytes: true,
    page: { signIn: null },
    problems: ['not_found', 'range_not_satisfiable', 'rate_limit_exceeded', 'unavailable'],
    tag: 'public',
  })
  @Get(':token')
  async read(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.openings.open(token, { isCounted: request.method !== 'HEAD' }, (content, { name, inline }) =>
      sendContent(request, reply, this.contents, content, { name, inline }),
    );
  }
}
