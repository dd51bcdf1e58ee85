import { Controller, Get, Param } from '@nestjs/common';
import { text } from '#libs/http/field.js';
import { Route } from '#libs/http/route.js';
import { PublicInvoice } from './public-invoice.dto.js';
import { PublicInvoicesService } from './public-invoices.service.js';

@Controller('api/public/invoices')
export class PublicInvoicesController {
  constructor(private readonly invoices: PublicInvoicesService) {}

  @Route({
    id: 'public.invoices.get',
    summary: 'Read an invoice by its public link',
    description:
      'For the customer, without signing in. Unknown, expired, revoked and malformed tokens return the same 404. Each call counts as a use of the link; the first one sets `viewedAt` of the invoice.',
    permission: 'public',
    // The format is not validated: a malformed token must return the same 404 as an unknown one.
    params: { token: { kind: text({ min: 1, max: 500 }), description: 'The token from the link.' } },
    answer: PublicInvoice,
    problems: ['not_found', 'rate_limit_exceeded', 'unavailable'],
    tag: 'public',
  })
  @Get(':token')
  read(@Param('token') token: string) {
    return this.invoices.read(token);
  }
}
