import { Controller, Get, Param, Query } from '@nestjs/common';
import { text } from '#libs/http/field.js';
import { ScimError } from '#libs/scim-language/scim-error.js';
import { ScimRoute } from '../scim-route.js';
import { ScimListResponse, ScimResourceType, ScimSchema, ScimServiceProviderConfig } from '../scim.models.js';
import { DiscoveryService } from './discovery.service.js';

const TAG = 'scim discovery';

@Controller('api/scim/v2')
export class ScimDiscoveryController {
  constructor(private readonly discovery: DiscoveryService) {}

  @ScimRoute({
    id: 'scim.service_provider_config.get',
    summary: 'Read the service provider configuration',
    answer: ScimServiceProviderConfig,
    tag: TAG,
  })
  @Get('ServiceProviderConfig')
  serviceProviderConfig() {
    return this.discovery.serviceProviderConfig();
  }

  @ScimRoute({
    id: 'scim.resource_types.list',
    summary: 'List the types of resources',
    answer: ScimListResponse,
    tag: TAG,
  })
  @Get('ResourceTypes')
  resourceTypes(@Query('filter') filter: unknown) {
    refuseFilter(filter);
    return this.discovery.resourceTypes();
  }

  @ScimRoute({
    id: 'scim.resource_types.get',
    summary: 'Read a type of resources',
    params: { name: { kind: text({ max: 200 }), description: 'Name of the type, `User` or `Group`.' } },
    answer: ScimResourceType,
    tag: TAG,
  })
  @Get('ResourceTypes/:name')
  resourceType(@Param('name') name: string) {
    return this.discovery.resourceType(name);
  }

  @ScimRoute({
    id: 'scim.schemas.list',
    summary: 'List the schemas of resources',
    answer: ScimListResponse,
    tag: TAG,
  })
  @Get('Schemas')
  schemas(@Query('filter') filter: unknown) {
    refuseFilter(filter);
    return this.discovery.schemas();
  }

  @ScimRoute({
    id: 'scim.schemas.get',
    summary: 'Read a schema',
    params: { urn: { kind: text({ max: 200 }), description: 'URN of the schema.' } },
    answer: ScimSchema,
    tag: TAG,
  })
  @Get('Schemas/:urn')
  schema(@Param('urn') urn: string) {
    return this.discovery.schema(urn);
  }
}

/** @throws ScimError 403, which RFC 7644 section 4 requires for filters on the discovery endpoints. */
function refuseFilter(filter: unknown): void {
  if (filter !== undefined) throw new ScimError(403, 'What describes the server cannot be filtered.');
}
