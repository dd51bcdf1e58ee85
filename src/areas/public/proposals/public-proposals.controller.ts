import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendShown } from '#libs/http/page.js';
import { Route } from '#libs/http/route.js';
import { LINK_TOKEN } from '../link-token.js';
import { AcceptProposal, DeclineProposal, PublicProposal } from './public-proposal.dto.js';
import { proposalPage } from './public-proposal-page.js';
import { PublicProposalsService } from './public-proposals.service.js';

@Controller('api/public/proposals')
export class PublicProposalsController {
  constructor(private readonly proposals: PublicProposalsService) {}

  @Route({
    id: 'public.proposals.get',
    summary: 'Read a proposal by its public link',
    description:
      'For the customer, without signing in. A browser gets a page with the forms to accept or decline it. The link of an older version shows the newest version that was sent. Unknown, expired, revoked and malformed tokens return the same 404. Each GET counts as a use of the link and in `viewCount` of the proposal; the first one makes it `viewed`. HEAD does not count.',
    permission: 'public',
    params: LINK_TOKEN,
    answer: PublicProposal,
    page: { signIn: null },
    problems: ['not_found', 'rate_limit_exceeded', 'unavailable'],
    tag: 'public',
  })
  @Get(':token')
  async read(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { shown, brand } = await this.proposals.read(token, { isCounted: request.method !== 'HEAD' });
    sendShown(request, reply, shown, () => proposalPage(shown, { brand, action: encodeURIComponent(token) }));
  }

  @Route({
    id: 'public.proposals.accept',
    summary: 'Accept a proposal by its public link',
    description:
      'For the customer, without signing in; once. It wins the deal of the proposal with what was chosen, if whoever sent it may still win the deal. It works as long as the link does, even if the link was opened as often as it may be.',
    permission: 'public',
    params: LINK_TOKEN,
    body: AcceptProposal,
    form: 'too',
    answer: PublicProposal,
    page: { signIn: null },
    problems: [
      'not_found',
      'invalid_transition',
      'offer_expired',
      'stale_version',
      'total_negative',
      'rate_limit_exceeded',
      'unavailable',
    ],
    tag: 'public',
  })
  @Post(':token/accept')
  async accept(
    @Param('token') token: string,
    @Body() body: AcceptProposal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { shown, brand } = await this.proposals.accept(token, body);
    sendShown(request, reply, shown, () => proposalPage(shown, { brand, action: null }));
  }

  @Route({
    id: 'public.proposals.decline',
    summary: 'Decline a proposal by its public link',
    description: 'For the customer, without signing in; once. Works as long as the link does.',
    permission: 'public',
    params: LINK_TOKEN,
    body: DeclineProposal,
    form: 'too',
    answer: PublicProposal,
    page: { signIn: null },
    problems: ['not_found', 'invalid_transition', 'stale_version', 'rate_limit_exceeded', 'unavailable'],
    tag: 'public',
  })
  @Post(':token/decline')
  async decline(
    @Param('token') token: string,
    @Body() body: DeclineProposal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { shown, brand } = await this.proposals.decline(token, body);
    sendShown(request, reply, shown, () => proposalPage(shown, { brand, action: null }));
  }
}
