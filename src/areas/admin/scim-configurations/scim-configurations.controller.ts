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
      'The token is shown this once. It opens the SCIM routes of this tenant and nothing else. Who gives roles here, or gets a token that can give them, holds all of them; nobody becomes an owner by SCIM. Giving roles that run the tenant can have to wait for approval at the gate `role.grant_privileged`: an update does, and a new connection is made without them first.',
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
      'Revokes its tokens at once. What its groups have given is taken back; its users stay and are managed by hand, or are suspended.',
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
