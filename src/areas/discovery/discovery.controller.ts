import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { contentTag } from '#libs/http/answer-headers.js';
import { Route, type RouteOptions } from '#libs/http/route.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { AreasService } from './operations/areas.service.js';
import {
  AreaDetail,
  AreaList,
  DiscoveredPermissionList,
  NeededScopes,
  OperationList,
  OperationQuery,
  ScopesQuery,
} from './operations/operation.dto.js';
import { OperationsService } from './operations/operations.service.js';
import { PermissionsService } from './operations/permissions.service.js';
import { keyInPath } from '#libs/http/key-in-path.js';
import { ToolList, ToolQuery } from './tools/tool.dto.js';
import { ToolsService } from './tools/tools.service.js';
import { TypeDetail, TypeList, TypeQuery } from './types/type.dto.js';
import { TypesService } from './types/types.service.js';

/** Options shared by all routes. */
const OPEN = {
  permission: 'any',
  forPartners: true,
  record: true,
  tag: 'discovery',
} as const satisfies Partial<RouteOptions>;
const PAGED = { ...OPEN, problems: ['cursor_invalid'] } as const satisfies Partial<RouteOptions>;

/** Describes the API and the caller's access to it, from the same declarations that the platform enforces. */
@Controller('api/discovery')
export class DiscoveryController {
  constructor(
    private readonly areas: AreasService,
    private readonly operations: OperationsService,
    private readonly permissions: PermissionsService,
    private readonly types: TypesService,
    private readonly tools: ToolsService,
  ) {}

  @Route({
    ...PAGED,
    id: 'discovery.areas.list',
    summary: 'List the areas of the API',
    query: PageQuery,
    answer: AreaList,
  })
  @Get()
  listAreas(@Query() query: PageQuery, @Res({ passthrough: true }) reply: FastifyReply): Promise<AreaList> {
    return this.tell(reply, () => this.areas.list(query));
  }

  @Route({
    ...OPEN,
    id: 'discovery.areas.get',
    summary: 'Read an area',
    params: { area: { kind: keyInPath, description: 'Key of the area, such as `sales`.' } },
    answer: AreaDetail,
    problems: ['not_found'],
  })
  @Get('areas/:area')
  getArea(@Param('area') area: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<AreaDetail> {
    return this.tell(reply, () => this.areas.get(area));
  }

  @Route({
    ...PAGED,
    id: 'discovery.types.list',
    summary: 'List the types of records and objects',
    query: TypeQuery,
    answer: TypeList,
  })
  @Get('types')
  listTypes(@Query() query: TypeQuery, @Res({ passthrough: true }) reply: FastifyReply): Promise<TypeList> {
    return this.tell(reply, () => this.types.list(query));
  }

  @Route({
    ...OPEN,
    id: 'discovery.types.get',
    summary: 'Read a type',
    description: 'Fields, life cycle with diagram, events, relations, operations, and the custom fields of the tenant.',
    params: { object: { kind: keyInPath, description: 'Type key, such as `sales.deal`.' } },
    answer: TypeDetail,
    problems: ['not_found'],
  })
  @Get('types/:object')
  getType(@Param('object') object: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<TypeDetail> {
    return this.tell(reply, () => this.types.get(object));
  }

  @Route({
    ...PAGED,
    id: 'discovery.operations.list',
    summary: 'List the operations and whether you may call them',
    query: OperationQuery,
    answer: OperationList,
  })
  @Get('operations')
  listOperations(
    @Query() query: OperationQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OperationList> {
    return this.tell(reply, () => this.operations.list(query));
  }

  @Route({
    ...PAGED,
    id: 'discovery.permissions.list',
    summary: 'List the permissions and the roles that have them',
    query: PageQuery,
    answer: DiscoveredPermissionList,
  })
  @Get('permissions')
  listPermissions(
    @Query() query: PageQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DiscoveredPermissionList> {
    return this.tell(reply, () => this.permissions.list(query));
  }

  @Route({
    ...OPEN,
    id: 'discovery.scopes.get',
    summary: 'Determine the minimal scopes for a set of operations',
    query: ScopesQuery,
    answer: NeededScopes,
  })
  @Get('scopes')
  getScopes(
    @Query() { operations }: ScopesQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NeededScopes> {
    return this.tell(reply, () => this.permissions.scopesFor(operations));
  }

  @Route({
    ...PAGED,
    id: 'discovery.tools.list',
    summary: 'List tool definitions for AI agents',
    description:
      'Operations that an agent with your credential may call: reads that you are allowed to make, and writes that a scope of the credential names explicitly (`deals:write` or `deals:*`, not `*`). Operations that return secrets are left out.',
    query: ToolQuery,
    answer: ToolList,
  })
  @Get('tools')
  listTools(@Query() query: ToolQuery, @Res({ passthrough: true }) reply: FastifyReply): Promise<ToolList> {
    return this.tell(reply, () => this.tools.list(query));
  }

  /**
   * Responds according to current rights and custom fields. The ETag is computed from the response, so it changes with
   * the platform, the tenant's fields and the caller's rights.
   */
  private async tell<T>(reply: FastifyReply, work: () => Promise<T>): Promise<T> {
    const answer = await work();
    void reply.header('etag', contentTag(answer));
    return answer;
  }
}
