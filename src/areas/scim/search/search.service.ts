import { Injectable } from '@nestjs/common';
import { cut } from '#libs/kernel/cut.js';
import { GROUPS, type ResourceSchema, USERS } from '#libs/scim-language/resource-schema.js';
import { ScimError, invalidValue } from '#libs/scim-language/scim-error.js';
import { GroupsService } from '../groups/groups.service.js';
import type { ListRequest } from '../list/list-request.js';
import type { ListResponse } from '../list/scim-pages.js';
import { UsersService } from '../users/users.service.js';

/** Searches all resource types. */
@Injectable()
export class SearchService {
  constructor(
    private readonly users: UsersService,
    private readonly groups: GroupsService,
  ) {}

  /**
   * Users, then groups. In the filter and in `sortBy`, attributes of the other type count as absent.
   * @throws ScimError `invalidFilter`, `invalidValue` for attributes that no type has; `invalidCursor`.
   */
  async everywhere(request: ListRequest): Promise<ListResponse> {
    if (request.cursor !== undefined)
      throw new ScimError(
        400,
        'Pages by cursor are for one type of resource: search /Users or /Groups.',
        'invalidCursor',
      );
    const users = await this.users.list(among(USERS, request, GROUPS));
    const before = users.totalResults;
    const groups = await this.groups.list({
      ...among(GROUPS, request, USERS),
      startIndex: Math.max(1, request.startIndex - before),
      count: request.count - users.itemsPerPage,
    });
    return {
      ...groups,
      totalResults: before + groups.totalResults,
      itemsPerPage: users.itemsPerPage + groups.itemsPerPage,
      startIndex: request.startIndex,
      Resources: [...users.Resources, ...groups.Resources],
    };
  }
}

/** The request for one of two types. @throws ScimError `invalidValue` if neither type can be sorted this way. */
function among(own: ResourceSchema, { sortBy, ...request }: ListRequest, other: ResourceSchema): ListRequest {
  const besides = [other];
  if (sortBy === undefined) return { ...request, besides };
  if (own.resolve(sortBy)) return { ...request, besides, sortBy };
  if (!other.resolve(sortBy)) throw invalidValue(`Nothing can be sorted by "${cut(sortBy, 100)}".`);
  return { ...request, besides };
}
