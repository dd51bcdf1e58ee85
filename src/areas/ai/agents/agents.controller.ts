import { Controller, Get, Param, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { ResourceController } from '#libs/resource/routes/resource.controller.js';
import { AgentVersionQuery } from './agent-versions.repository.js';
import { versionInPath } from '../version-number.js';
import { agents } from './agent.js';
import { AgentVersionPage, AgentVersionView } from './agent-version.js';
import { AgentsService } from './agents.service.js';

@Controller(pathOf(agents))
export class AgentsController extends ResourceController(agents) {
  constructor(private readonly service: AgentsService) {
    super(service.records);
  }

  @Route({
    id: 'intelligence.agents.versions',
    summary: 'List the versions of an agent',
    permission: 'agents:read',
    object: agents.type,
    query: AgentVersionQuery,
    answer: AgentVersionPage,
    problems: ['not_found', 'cursor_invalid'],
  })
  @Get(':id/versions')
  listVersions(@Param('id') id: string, @Query() query: Record<string, unknown>) {
    return this.service.listVersions(id, query);
  }

  @Route({
    id: 'intelligence.agents.version',
    summary: 'Read a version of an agent',
    permission: 'agents:read',
    object: agents.type,
    params: { n: { kind: versionInPath, description: 'Number of the version.' } },
    answer: AgentVersionView,
    problems: ['not_found'],
  })
  @Get(':id/versions/:n')
  getVersion(@Param('id') id: string, @Param('n') n: string) {
    return this.service.getVersion(id, n);
  }
}
