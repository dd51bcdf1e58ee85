import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { publicLinks } from './public-link.js';
import { LinkPage, LinkQuery, LinkWithAddress, type NewPublicLink } from './public-link.requests.js';
import { PublicLinksService } from './public-links.service.js';

/** All that links can open so far are invoices. */
const OF_INVOICES = { permission: 'invoices:send', object: 'finance.invoice' } as const;

@Controller(publicLinks.path)
export class PublicLinksController {
  constructor(private readonly links: PublicLinksService) {}

  @Route({
    ...OF_INVOICES,
    id: 'settings.public_links.list',
    summary: 'List public links',
    description: 'Those to records that you may see, the newest first. No operation shows an address again.',
    query: LinkQuery,
    answer: LinkPage,
    problems: ['cursor_invalid'],
  })
  @Get()
  list(@Query() query: Record<string, unknown>) {
    return this.links.list(query);
  }

  @Route({
    ...OF_INVOICES,
    id: 'settings.public_links.create',
    summary: 'Create a public link',
    description:
      'Whoever has the address sees the invoice as its document says it, without signing in, until the link expires or is revoked: give it only to the customer. The answer shows the address this once; a retry under the same idempotency key shows it again, which is audited.',
    status: 201,
    body: publicLinks.create,
    answer: LinkWithAddress,
    record: true,
    secretAnswer: ['publicUrl'],
    problems: ['permission_denied', 'invalid_transition'],
  })
  @Post()
  create(@Body() input: NewPublicLink) {
    return this.links.create(input);
  }

  @Route({
    ...OF_INVOICES,
    id: 'settings.public_links.get',
    summary: 'Read a public link',
    answer: publicLinks.view,
    record: true,
    problems: ['not_found'],
  })
  @Get(':id')
  get(@Param('id') id: string) {
    return this.links.get(id);
  }

  @Route({
    ...OF_INVOICES,
    id: 'settings.public_links.revoke',
    summary: 'Revoke a public link',
    description: 'The next request with it is answered as for a link that never was.',
    answer: publicLinks.view,
    record: true,
    problems: ['not_found', 'permission_denied', 'invalid_transition', 'version_mismatch'],
  })
  @Post(':id/revoke')
  revoke(@Param('id') id: string) {
    return this.links.revoke(id);
  }
}
