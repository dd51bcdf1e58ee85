import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendShown } from '#libs/http/page.js';
import { Route } from '#libs/http/route.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { TENANT_SLUG } from '../slug-param.js';
import { JobApplication, PublicJobDetails, PublicJobs, ReceivedApplication } from './careers.dto.js';
import { careersPage, jobPage, receivedPage } from './careers-pages.js';
import { CareersService } from './careers.service.js';

const PROBLEMS = ['not_found', 'rate_limit_exceeded', 'unavailable'] as const;

@Controller('api/public/careers')
export class CareersController {
  constructor(private readonly careers: CareersService) {}

  @Route({
    id: 'public.careers.list',
    summary: 'List the public jobs of a tenant',
    description:
      'Jobs that are open and public, the newest first. A browser gets a page. Tenants that are unknown, suspended or closed, or have no hiring, are the same 404.',
    permission: 'public',
    params: TENANT_SLUG,
    query: PageQuery,
    answer: PublicJobs,
    page: { signIn: null },
    problems: ['cursor_invalid', ...PROBLEMS],
    tag: 'public careers',
  })
  @Get(':slug')
  async list(
    @Param('slug') slug: string,
    @Query() query: PageQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { shown, brand } = await this.careers.list(slug, query);
    sendShown(request, reply, shown, () => careersPage(shown, { slug, brand }));
  }

  @Route({
    id: 'public.careers.jobs.get',
    summary: 'Read a public job',
    description:
      'With what an application needs: the text of the consent, and a challenge that is good for one application within a day. A browser gets a page with the form to apply, which works without scripts.',
    permission: 'public',
    params: TENANT_SLUG,
    answer: PublicJobDetails,
    page: { signIn: null },
    problems: [...PROBLEMS],
    tag: 'public careers',
  })
  @Get(':slug/jobs/:id')
  async read(
    @Param('slug') slug: string,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { shown, brand } = await this.careers.read(slug, id);
    sendShown(request, reply, shown, () => jobPage(shown, { slug, brand }));
  }

  @Route({
    id: 'public.careers.jobs.apply',
    summary: 'Apply for a public job',
    description:
      'Creates a candidate with an application (source `careers_page`) and consent. Whoever is known by the address gets a further application, unless one for the job is open; the answer is the same. Send a proof of work as `nonce`; the form of the page goes without, if it was open for three seconds. An address may apply 20 times an hour by the form, and 60 times with proofs. A repeated request with the same challenge and address has no second effect.',
    permission: 'public',
    params: TENANT_SLUG,
    body: JobApplication,
    form: 'too',
    keyless: true,
    status: 202,
    answer: ReceivedApplication,
    page: { signIn: null },
    problems: [...PROBLEMS],
    tag: 'public careers',
  })
  @Post(':slug/jobs/:id/apply')
  async apply(
    @Param('slug') slug: string,
    @Param('id') id: string,
    @Body() application: JobApplication,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const isForm = /form/i.test(request.headers['content-type'] ?? '');
    const { shown, brand } = await this.careers.apply(slug, id, { application, isForm });
    sendShown(request, reply.code(202), { received: true }, () => receivedPage(shown, { slug, brand }));
  }
}
