import { Controller, Delete, Get, Param, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { oauthGrants } from '#libs/members/grant.js';
import { Deleted, pageOf } from '#libs/resource/types/record.dto.js';
import { OauthGrantQuery } from './oauth-grants.dto.js';
import { OauthGrantsService } from './oauth-grants.service.js';

const BESIDES = [{ scope: 'api-keys:manage-all' as const, when: 'For what others have granted.' }];

@Controller(oauthGrants.path)
export class OauthGrantsController {
  constructor(private readonly grants: OauthGrantsService) {}

  @Route({
    id: 'settings.oauth_grants.list',
    summary: 'List what partners may do',
    description:
      'What you have granted to partners; with `api-keys:manage-all` what everybody has. The newest first, those that have ended too.',
    permission: 'any',
    inPerson: true,
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
    summary: 'End the access of a partner',
    description:
      'Ends the grant with all its tokens: the next request with one is refused. The list shows it as `revoked`.',
    permission: 'any',
    inPerson: true,
    besides: BESIDES,
    answer: Deleted,
    problems: ['not_found'],
  })
  @Delete(':id')
  revoke(@Param('id') id: string) {
    return this.grants.revoke(id);
  }
}
