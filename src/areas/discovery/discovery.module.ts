import { Module } from '@nestjs/common';
import { DiscoveryController } from './discovery.controller.js';
import { McpController } from './mcp/mcp.controller.js';
import { McpService } from './mcp/mcp.service.js';
import { ToolCalls } from './mcp/tool-calls.service.js';
import { AreasService } from './operations/areas.service.js';
import { OperationCatalogue } from './operations/operation-catalogue.js';
import { OperationsService } from './operations/operations.service.js';
import { PermissionsService } from './operations/permissions.service.js';
import { ToolsService } from './tools/tools.service.js';
import { TypeCatalogue } from './types/type-catalogue.js';
import { TypesService } from './types/types.service.js';

/** Describes the API to clients and agents, and what they may do. */
@Module({
  controllers: [DiscoveryController, McpController],
  providers: [
    AreasService,
    McpService,
    OperationCatalogue,
    OperationsService,
    PermissionsService,
    ToolCalls,
    ToolsService,
    TypeCatalogue,
    TypesService,
  ],
})
export class DiscoveryModule {}
