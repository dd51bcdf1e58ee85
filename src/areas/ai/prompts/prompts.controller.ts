import { Controller, Get, Param, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { PromptVersionPage, PromptVersionView, versionInPath } from './prompt.dto.js';
import { promptResource } from './prompt.resource.js';
import { PromptVersionQuery } from './prompt-versions.repository.js';
import { PromptsService } from './prompts.service.js';

@Controller(pathOf(promptResource))
export class PromptsController extends ResourceController(promptResource) {
  constructor(private readonly prompts: PromptsService) {
    super(prompts);
  }

  @Route({
    id: 'ai.prompts.versions',
    summary: 'List the versions of a prompt',
    permission: 'ai-jobs:read',
    object: promptResource.type,
    query: PromptVersionQuery,
    answer: PromptVersionPage,
    problems: ['not_found', 'cursor_invalid'],
  })
  @Get(':id/versions')
  listVersions(@Param('id') id: string, @Query() query: Record<string, unknown>) {
    return this.prompts.listVersions(id, query);
  }

  @Route({
    id: 'ai.prompts.version',
    summary: 'Read a version of a prompt',
    permission: 'ai-jobs:read',
    object: promptResource.type,
    params: { n: { kind: versionInPath, description: 'Number of the version.' } },
    answer: PromptVersionView,
    problems: ['not_found'],
  })
  @Get(':id/versions/:n')
  getVersion(@Param('id') id: string, @Param('n') n: string) {
    return this.prompts.getVersion(id, n);
  }
}
