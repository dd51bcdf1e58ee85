import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { readListRequest } from '../list/list-request.js';
import { ScimRoute } from '../scim-route.js';
import { ScimGroup, ScimGroupBody, ScimListQuery, ScimListResponse, ScimPatch, ScimReadQuery } from '../scim.models.js';
import { GROUP_EXAMPLE, GROUP_PATCH_EXAMPLE } from './group-example.js';
import { GroupsService } from './groups.service.js';

@Controller('api/scim/v2/Groups')
export class GroupsController {
  constructor(private readonly groups: GroupsService) {}

  @ScimRoute({
    id: 'scim.groups.list',
    summary: 'List groups',
    description: 'In the order in which they came. With `excludedAttributes=members` no member is read.',
    query: ScimListQuery,
    answer: ScimListResponse,
    problems: ['cursor_invalid'],
  })
  @Get()
  list(@Query() query: Record<string, unknown>) {
    return this.groups.list(readListRequest(query));
  }

  @ScimRoute({
    id: 'scim.groups.create',
    summary: 'Make a group',
    description:
      'Its members get the roles and workspaces that the configuration maps its name to. Members that are no users are left out and stand in the log.',
    status: 201,
    query: ScimReadQuery,
    body: ScimGroupBody,
    answer: ScimGroup,
    problems: ['duplicate'],
    example: GROUP_EXAMPLE,
    record: true,
  })
  @Post()
  create(@Body() body: unknown, @Query() query: Record<string, unknown>) {
    return this.groups.create(body, query);
  }

  @ScimRoute({
    id: 'scim.groups.get',
    summary: 'Read a group',
    query: ScimReadQuery,
    answer: ScimGroup,
    example: { answer: GROUP_EXAMPLE.answer },
    record: true,
  })
  @Get(':id')
  get(@Param('id') id: string, @Query() query: Record<string, unknown>) {
    return this.groups.get(id, query);
  }

  @ScimRoute({
    id: 'scim.groups.replace',
    summary: 'Replace a group',
    description: 'Members that the body does not name leave the group.',
    query: ScimReadQuery,
    body: ScimGroupBody,
    answer: ScimGroup,
    problems: ['duplicate'],
    example: GROUP_EXAMPLE,
    record: true,
  })
  @Put(':id')
  replace(@Param('id') id: string, @Body() body: unknown, @Query() query: Record<string, unknown>) {
    return this.groups.replace(id, body, query);
  }

  @ScimRoute({
    id: 'scim.groups.update',
    summary: 'Change a group',
    description:
      'Operations in the ways of Entra, Okta and the RFC; all of them hold, or none does. Adding or removing a member costs the same in a large group. The answer has a body only when `attributes` asks for one.',
    query: ScimReadQuery,
    body: ScimPatch,
    answer: ScimGroup,
    emptyDescription: 'Changed; no attributes were asked for',
    problems: ['duplicate'],
    example: { body: GROUP_PATCH_EXAMPLE, answer: GROUP_EXAMPLE.answer },
    record: true,
  })
  @Patch(':id')
  async update(
    @Param('id') id: string,
    @Body() body: unknown,
    @Query() query: Record<string, unknown>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const group = await this.groups.patch(id, body, query);
    if (!group) void reply.code(204);
    return group;
  }

  @ScimRoute({
    id: 'scim.groups.delete',
    summary: 'Delete a group',
    description: 'Takes back what its members had from it. The users stay.',
    status: 204,
    answer: ScimGroup,
  })
  @Delete(':id')
  remove(@Param('id') id: string) {
    return this.groups.remove(id);
  }
}
