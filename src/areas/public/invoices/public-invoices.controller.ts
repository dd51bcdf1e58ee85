import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendShown } from '#libs/http/page.js';
import { Route } from '#libs/http/route.js';
import { LINK_TOKEN } from '../link-token.js';
import { PublicInvoice } from './public-invoice.dto.js';
import { invoicePage } from './public-invoice-page.js';
import { PublicInvoicesService } from './public-invoices.service.js';

@Controller('api/public/invoices')
export class PublicInvoicesController {
  constructor(private readonly invoices: PublicInvoicesService) {}

  @Route({
    id: 'public.invoices.get',
    summary: 'Read an invoice by its public link',
    description:
      'For the customer, without signing in. A browser gets a page. Unknown, expired, revoked and malformed tokens return the same 404. Each GET counts as a use of the link; the first one sets `viewedAt` of the invoice. HEAD does not count.',
    permission: 'public',
    params: LINK_TOKEN,
    answer: PublicInvoice,
    page: { signIn: null },
    problems: ['not_found', 'rate_limit_exceeded', 'unavailable'],
    tag: 'public',
  })
  @Get(':token')
  async read(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { shown, brand } = await this.invoices.read(token, { isCounted: request.method !== 'HEAD' });
    sendShown(request, reply, shown, () => invoicePage(shown, brand));
  }
}
