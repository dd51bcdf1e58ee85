import { Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Route } from '#libs/http/route.js';
import { StartDocument, StartQuery } from './bootstrap.dto.js';
import { BootstrapService, tagOf } from './bootstrap.service.js';

@Controller('api/bootstrap')
export class BootstrapController {
  constructor(private readonly bootstrap: BootstrapService) {}

  @Route({
    id: 'bootstrap.get',
    summary: 'Read the bootstrap document',
    description:
      'Returns the caller, their permissions, the tenant and the counts of pending work in one call. A session without a tenant gets the person and the tenants that they can switch to. The ETag ignores `server.time` and the last use of the session: send it as `If-None-Match` on each page load.',
    permission: 'any',
    byPerson: true,
    tenantless: true,
    query: StartQuery,
    answer: StartDocument,
    record: true,
    tag: 'bootstrap',
  })
  @Get()
  async read(@Query() { fields }: StartQuery, @Res({ passthrough: true }) reply: FastifyReply): Promise<StartDocument> {
    const document = await this.bootstrap.read(fields);
    void reply.header('etag', tagOf(document));
    return document;
  }
}
