import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { publicLinks } from './public-link.js';
import { LinkPage, LinkQuery, LinkWithAddress, type NewPublicLink } from './public-link.requests.js';
import { PublicLinksService } from './public-links.service.js';

/** Links can only open invoices so far. */
const OF_INVOICES = { permission: 'invoices:send', object: 'finance.invoice' } as const;

@Controller(publicLinks.path)
export class PublicLinksController {
  constructor(private readonly links: PublicLinksService) {}

  @Route({
    ...OF_INVOICES,
    id: 'settings.public_links.list',
    summary: 'List public links',
    description: 'Links to records that you may see, newest first. The URL of a link is not returned again.',
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
      'Anyone with the URL can read the invoice without signing in until the link expires or is revoked, so share it only with the customer. The URL is returned only once. A retry with the same idempotency key returns it again and is audited.',
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
    description: 'With immediate effect: requests with the link then get the same 404 as for an unknown link.',
    answer: publicLinks.view,
    record: true,
    problems: ['not_found', 'permission_denied', 'invalid_transition', 'version_mismatch'],
  })
  @Post(':id/revoke')
  revoke(@Param('id') id: string) {
    return this.links.revoke(id);
  }
}
