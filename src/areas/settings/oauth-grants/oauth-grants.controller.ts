import { Controller, Delete, Get, Param, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { oauthGrants } from '#libs/members/grant.js';
import { Deleted, pageOf } from '#libs/resource/types/record.dto.js';
import { OauthGrantQuery } from './oauth-grants.dto.js';
import { OauthGrantsService } from './oauth-grants.service.js';

const BESIDES = [{ scope: 'api-keys:manage-all' as const, when: 'For the grants of other members.' }];

@Controller(oauthGrants.path)
export class OauthGrantsController {
  constructor(private readonly grants: OauthGrantsService) {}

  @Route({
    id: 'settings.oauth_grants.list',
    summary: 'List grants to partners',
    description:
      'Your grants to partners, or the grants of all members with `api-keys:manage-all`, newest first. Includes grants that are no longer valid.',
    permission: 'any',
    besides: BESIDES,
    query: OauthGrantQuery,
    answer: pageOf(oauthGrants.view),
    problems: ['cursor_invalid'],
  })
  @Get()
  list(@Query() query: OauthGrantQuery) {
    return this.grants.list(query);
  }

  @Route({
    id: 'settings.oauth_grants.revoke',
    summary: 'Revoke the access of a partner',
    description: 'Revokes the grant and all its tokens with immediate effect. The list shows it as `revoked`.',
    permission: 'any',
    besides: BESIDES,
    answer: Deleted,
    problems: ['not_found'],
  })
  @Delete(':id')
  revoke(@Param('id') id: string) {
    return this.grants.revoke(id);
  }
}
