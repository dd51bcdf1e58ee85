import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendShown } from '#libs/http/page.js';
import { Route } from '#libs/http/route.js';
import { LINK_TOKEN } from '../link-token.js';
import { AcceptMilestone, PublicMilestone } from './public-milestone.dto.js';
import { milestonePage } from './public-milestone-page.js';
import { PublicMilestonesService } from './public-milestones.service.js';

@Controller('api/public/milestones')
export class PublicMilestonesController {
  constructor(private readonly milestones: PublicMilestonesService) {}

  @Route({
    id: 'public.milestones.get',
    summary: 'Read a milestone by its public link',
    description:
      'For the customer, without signing in. A browser gets a page with the form to accept it. Unknown, expired, revoked and malformed tokens return the same 404. Each GET counts as a use of the link, and changes nothing else. HEAD does not count.',
    permission: 'public',
    params: LINK_TOKEN,
    answer: PublicMilestone,
    page: { signIn: null },
    problems: ['not_found', 'rate_limit_exceeded', 'unavailable'],
    tag: 'public',
  })
  @Get(':token')
  async read(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { shown, brand } = await this.milestones.read(token, { isCounted: request.method !== 'HEAD' });
    const action = `${encodeURIComponent(token)}/accept`;
    sendShown(request, reply, shown, () => milestonePage(shown, { brand, action }));
  }

  @Route({
    id: 'public.milestones.accept',
    summary: 'Accept a milestone by its public link',
    description:
      'For the customer, without signing in; once. The milestone shows when it was accepted and the name that was given, and `work.milestone.accepted` is emitted. It works as long as the link does, even if the link was opened as often as it may be.',
    permission: 'public',
    params: LINK_TOKEN,
    body: AcceptMilestone,
    form: 'too',
    answer: PublicMilestone,
    page: { signIn: null },
    problems: ['not_found', 'invalid_transition', 'rate_limit_exceeded', 'unavailable'],
    tag: 'public',
  })
  @Post(':token/accept')
  async accept(
    @Param('token') token: string,
    @Body() { name }: AcceptMilestone,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { shown, brand } = await this.milestones.accept(token, name);
    sendShown(request, reply, shown, () => milestonePage(shown, { brand, action: null }));
  }
}
