import { Body, Controller, Post } from '@nestjs/common';
import { GroupsService } from '../groups/groups.service.js';
import { ScimRoute } from '../scim-route.js';
import { ScimListResponse } from '../scim.models.js';
import { UsersService } from '../users/users.service.js';
import { readSearchRequest } from './search-request.js';
import { ScimSearch } from './search.model.js';
import { SearchService } from './search.service.js';

const PROBLEMS = { body: ScimSearch, answer: ScimListResponse, problems: ['cursor_invalid' as const] };

/** Lists by POST, so that search terms do not appear in URLs. */
@Controller('api/scim/v2')
export class SearchController {
  constructor(
    private readonly search: SearchService,
    private readonly users: UsersService,
    private readonly groups: GroupsService,
  ) {}

  @ScimRoute({
    id: 'scim.search',
    summary: 'Search all resources',
    description: 'Users first, then groups, each in the order that `sortBy` says. By index only.',
    ...PROBLEMS,
  })
  @Post('.search')
  everywhere(@Body() body: unknown) {
    return this.search.everywhere(readSearchRequest(body));
  }

  @ScimRoute({ id: 'scim.users.search', summary: 'Search users', ...PROBLEMS })
  @Post('Users/.search')
  amongUsers(@Body() body: unknown) {
    return this.users.list(readSearchRequest(body));
  }

  @ScimRoute({ id: 'scim.groups.search', summary: 'Search groups', ...PROBLEMS })
  @Post('Groups/.search')
  amongGroups(@Body() body: unknown) {
    return this.groups.list(readSearchRequest(body));
  }
}
