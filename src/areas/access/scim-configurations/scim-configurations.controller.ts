import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { scimConfigurations } from './scim-configuration.js';
import {
  DeletedScimConfiguration,
  DeleteScimConfigurationQuery,
  ScimCommand,
  ScimCommandResult,
  ScimConfigurationList,
  ScimConfigurationQuery,
} from './scim-configuration.requests.js';
import { ScimConfigurationsService } from './scim-configurations.service.js';
import { ScimRemovalService } from './scim-removal.service.js';

@Controller(scimConfigurations.path)
export class ScimConfigurationsController {
  constructor(
    private readonly configurations: ScimConfigurationsService,
    private readonly removal: ScimRemovalService,
  ) {}

  @Route({
    id: 'admin.scim.list',
    summary: 'List connections to identity providers',
    permission: 'scim:read',
    query: ScimConfigurationQuery,
    answer: ScimConfigurationList,
    problems: ['cursor_invalid'],
  })
  @Get()
  list(@Query() query: ScimConfigurationQuery) {
    return this.configurations.list(query);
  }

  @Route({
    id: 'admin.scim.command',
    summary: 'Connect an identity provider, or change a connection',
    description:
      'The token is shown only once. It gives access to the SCIM routes of this tenant only. You must hold all permissions of the roles that the connection can grant; SCIM cannot grant the owner role. For privileged roles, the gate `role.grant_privileged` can require approval. In that case, create the connection without them and add them with `update`, which then waits for approval.',
    permission: 'scim:manage',
    inPerson: true,
    protected: true,
    body: ScimCommand,
    answer: ScimCommandResult,
    problems: [
      'not_found',
      'grant_exceeds_rights',
      'gate_denied',
      'approval_pending',
      'limit_reached',
      'invalid_transition',
    ],
    secretAnswer: ['token'],
  })
  @Post()
  command(@Body() input: ScimCommand) {
    return this.configurations.run(input);
  }

  @Route({
    id: 'admin.scim.delete',
    summary: 'Remove a connection to an identity provider',
    description:
      'Revokes its tokens immediately, and all roles and workspaces granted through its groups. Its users stay and can be managed manually, or are suspended.',
    permission: 'scim:manage',
    protected: true,
    query: DeleteScimConfigurationQuery,
    answer: DeletedScimConfiguration,
  })
  @Delete(':id')
  remove(@Param('id') id: string, @Query() { deprovision }: DeleteScimConfigurationQuery) {
    return this.removal.remove(id, deprovision);
  }
}
