import { Injectable } from '@nestjs/common';
import { parseFilter } from '#libs/scim/parse-filter.js';
import { GROUPS, type ResourceSchema, USERS } from '#libs/scim/resource-schema.js';
import { ScimError, invalidValue } from '#libs/scim/scim-error.js';
import { GroupsService } from '../groups/groups.service.js';
import type { ListRequest } from '../list/list-request.js';
import type { ListResponse } from '../list/scim-pages.js';
import { UsersService } from '../users/users.service.js';

/** Searches over all types of resources. */
@Injectable()
export class SearchService {
  constructor(
    private readonly users: UsersService,
    private readonly groups: GroupsService,
  ) {}

  /**
   * Users, then groups. A type that has no such attribute as the filter names has no resources to find.
   * @throws ScimError `invalidFilter` when no type has them; `invalidCursor`.
   */
  async everywhere(request: ListRequest): Promise<ListResponse> {
    if (request.cursor !== undefined)
      throw new ScimError(
        400,
        'Pages by cursor are for one type of resource: search /Users or /Groups.',
        'invalidCursor',
      );
    const ofUsers = this.forType(USERS, request);
    const ofGroups = this.forType(GROUPS, request);
    if (ofUsers instanceof ScimError && ofGroups instanceof ScimError) throw ofUsers;
    const users = ofUsers instanceof ScimError ? null : await this.users.list(ofUsers);
    if (ofGroups instanceof ScimError) return users!;
    const before = users?.totalResults ?? 0;
    const groups = await this.groups.list({
      ...ofGroups,
      startIndex: Math.max(1, request.startIndex - before),
      count: request.count - (users?.itemsPerPage ?? 0),
    });
    return {
      ...groups,
      totalResults: before + groups.totalResults,
      itemsPerPage: (users?.itemsPerPage ?? 0) + groups.itemsPerPage,
      startIndex: request.startIndex,
      Resources: [...(users?.Resources ?? []), ...groups.Resources],
    };
  }

  /** The request as it is for one type, or why it cannot be. */
  private forType(schema: ResourceSchema, request: ListRequest): ListRequest | ScimError {
    const { sortBy, filter } = request;
    try {
      if (filter !== undefined) parseFilter(schema, filter);
      if (sortBy !== undefined && !schema.resolve(sortBy)) throw invalidValue(`Nothing can be sorted by "${sortBy}".`);
    } catch (error) {
      if (error instanceof ScimError) return error;
      throw error;
    }
    return request;
  }
}
