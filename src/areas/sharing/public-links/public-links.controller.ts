import { ANY_OBJECT } from '#libs/auth/current-principal.js';
import { Body, Controller, Param, Query } from '@nestjs/common';
import { routesOf } from '#libs/resource/routes/object-routes.js';
import { LINK_PERMISSIONS } from './link-purposes.js';
import { publicLinks } from './public-link.js';
import { LinkQuery, LinkWithAddress, type NewPublicLink } from './public-link.requests.js';
import { PublicLinksService } from './public-links.service.js';

const [permission, ...parts] = LINK_PERMISSIONS;
const route = routesOf(publicLinks, 'settings.public_links', {
  permission: permission!,
  parts,
  object: ANY_OBJECT,
  withinReach: true,
});

@Controller(publicLinks.path)
export class PublicLinksController {
  constructor(private readonly links: PublicLinksService) {}

  @route.list({
    summary: 'List public links',
    description: 'Links to records that you may see, newest first. The URL of a link is not returned again.',
    query: LinkQuery,
  })
  list(@Query() query: object) {
    return this.links.objects.list(query);
  }

  @route.create({
    summary: 'Create a public link',
    description:
      'Anyone with the URL can read the record, and answer where the purpose allows it, without signing in until the link expires or is revoked, so share it only with the customer. You need the permission of the purpose for the record: `invoices:send` for an invoice, `milestones:write` for a milestone, `proposals:send` for a proposal. The URL is returned only once. A retry with the same idempotency key returns it again and is audited.',
    answer: LinkWithAddress,
    secretAnswer: ['publicUrl'],
    problems: ['permission_denied', 'invalid_transition'],
  })
  create(@Body() input: NewPublicLink) {
    return this.links.create(input);
  }

  @route.read({ summary: 'Read a public link' })
  get(@Param('id') id: string) {
    return this.links.objects.get(id);
  }

  @route.act('revoke', {
    summary: 'Revoke a public link',
    description: 'With immediate effect: requests with the link then get the same 404 as for an unknown link.',
    problems: ['permission_denied'],
  })
  revoke(@Param('id') id: string) {
    return this.links.revoke(id);
  }
}
