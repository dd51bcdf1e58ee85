import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { readListRequest } from '../list/list-request.js';
import { ScimRoute } from '../scim-route.js';
import { ScimListQuery, ScimListResponse, ScimPatch, ScimReadQuery, ScimUser, ScimUserBody } from '../scim.models.js';
import { USER_EXAMPLE } from './user-example.js';
import { UsersService } from './users.service.js';

@Controller('api/scim/v2/Users')
export class UsersController {
  constructor(private readonly users: UsersService) {}

  @ScimRoute({
    id: 'scim.users.list',
    summary: 'List users',
    description:
      'All members of the tenant, managed by an identity provider or not, in the order in which they came. Pages by index, or by cursor for long walks.',
    query: ScimListQuery,
    answer: ScimListResponse,
    problems: ['cursor_invalid'],
  })
  @Get()
  list(@Query() query: Record<string, unknown>) {
    return this.users.list(readListRequest(query));
  }

  @ScimRoute({
    id: 'scim.users.create',
    summary: 'Make a user',
    description:
      'Makes a membership of the tenant. A user whom the provider has shut out before comes back under the old id; one that is active is 409 `uniqueness`.',
    status: 201,
    query: ScimReadQuery,
    body: ScimUserBody,
    answer: ScimUser,
    problems: ['duplicate', 'seat_limit'],
    example: USER_EXAMPLE,
    record: true,
  })
  @Post()
  create(@Body() body: unknown, @Query() query: Record<string, unknown>) {
    return this.users.create(body, query);
  }

  @ScimRoute({
    id: 'scim.users.get',
    summary: 'Read a user',
    query: ScimReadQuery,
    answer: ScimUser,
    example: { answer: USER_EXAMPLE.answer },
    record: true,
  })
  @Get(':id')
  get(@Param('id') id: string, @Query() query: Record<string, unknown>) {
    return this.users.get(id, query);
  }

  @ScimRoute({
    id: 'scim.users.replace',
    summary: 'Replace a user',
    description:
      'Attributes that the body lacks are cleared, `active` excepted. `active: false` suspends the membership and ends its sessions and keys.',
    query: ScimReadQuery,
    body: ScimUserBody,
    answer: ScimUser,
    problems: ['duplicate', 'last_owner', 'seat_limit', 'employee_terminated'],
    example: USER_EXAMPLE,
    record: true,
  })
  @Put(':id')
  replace(@Param('id') id: string, @Body() body: unknown, @Query() query: Record<string, unknown>) {
    return this.users.replace(id, body, query);
  }

  @ScimRoute({
    id: 'scim.users.update',
    summary: 'Change a user',
    description: 'Operations in the ways of Entra, Okta and the RFC; all of them hold, or none does.',
    query: ScimReadQuery,
    body: ScimPatch,
    answer: ScimUser,
    problems: ['duplicate', 'last_owner', 'seat_limit', 'employee_terminated'],
    example: {
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: [{ op: 'replace', path: 'active', value: true }],
      },
      answer: USER_EXAMPLE.answer,
    },
    record: true,
  })
  @Patch(':id')
  update(@Param('id') id: string, @Body() body: unknown, @Query() query: Record<string, unknown>) {
    return this.users.patch(id, body, query);
  }

  @ScimRoute({
    id: 'scim.users.delete',
    summary: 'Delete a user',
    description: 'Removes the membership for good. The id is never used again; the name is free.',
    status: 204,
    answer: ScimUser,
    problems: ['last_owner'],
  })
  @Delete(':id')
  remove(@Param('id') id: string) {
    return this.users.remove(id);
  }
}
