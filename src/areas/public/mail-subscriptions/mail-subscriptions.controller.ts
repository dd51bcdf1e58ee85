import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendShown } from '#libs/http/page.js';
import { Route } from '#libs/http/route.js';
import { LINK_TOKEN } from '../link-token.js';
import { MailSubscription, OneClick } from './mail-subscription.dto.js';
import { MailSubscriptionsService } from './mail-subscriptions.service.js';
import { subscriptionPage } from './mail-subscription-page.js';

@Controller('api/public/unsubscribe')
export class MailSubscriptionsController {
  constructor(private readonly mails: MailSubscriptionsService) {}

  @Route({
    id: 'public.unsubscribe.get',
    summary: 'Read which mails a link ends',
    description:
      'For the recipient of a mail, without signing in. A browser gets a page with a button. Changes nothing.',
    permission: 'public',
    params: LINK_TOKEN,
    answer: MailSubscription,
    page: { signIn: null },
    problems: ['not_found', 'rate_limit_exceeded', 'unavailable'],
    tag: 'public',
  })
  @Get(':token')
  async read(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { shown, brand } = await this.mails.read(token);
    sendShown(request, reply, shown, () => subscriptionPage(shown, brand));
  }

  @Route({
    id: 'public.unsubscribe.end',
    summary: 'End mails by the link of one',
    description:
      'The address gets no more mails of the group from the tenant. Mail programs call it when somebody unsubscribes with one click (RFC 8058). It can be repeated.',
    permission: 'public',
    params: LINK_TOKEN,
    body: OneClick,
    bodyOptional: true,
    form: true,
    keyless: true,
    answer: MailSubscription,
    page: { signIn: null },
    problems: ['not_found', 'rate_limit_exceeded', 'unavailable'],
    tag: 'public',
  })
  @Post(':token')
  async end(
    @Param('token') token: string,
    @Body() _body: OneClick,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { shown, brand } = await this.mails.end(token);
    sendShown(request, reply, shown, () => subscriptionPage(shown, brand));
  }
}
