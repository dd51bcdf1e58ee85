import { Controller, Get, Param, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { ResourceController } from '#libs/resource/routes/resource.controller.js';
import { versionInPath } from '../version-number.js';
import { prompts } from './prompt.js';
import { PromptVersionPage, PromptVersionView } from './prompt-version.js';
import { PromptVersionQuery } from './prompt-versions.repository.js';
import { PromptsService } from './prompts.service.js';

@Controller(pathOf(prompts))
export class PromptsController extends ResourceController(prompts) {
  constructor(private readonly service: PromptsService) {
    super(service.records);
  }

  @Route({
    id: 'ai.prompts.versions',
    summary: 'List the versions of a prompt',
    permission: 'ai-jobs:read',
    object: prompts.type,
    query: PromptVersionQuery,
    answer: PromptVersionPage,
    problems: ['not_found', 'cursor_invalid'],
  })
  @Get(':id/versions')
  listVersions(@Param('id') id: string, @Query() query: Record<string, unknown>) {
    return this.service.listVersions(id, query);
  }

  @Route({
    id: 'ai.prompts.version',
    summary: 'Read a version of a prompt',
    permission: 'ai-jobs:read',
    object: prompts.type,
    params: { n: { kind: versionInPath, description: 'Number of the version.' } },
    answer: PromptVersionView,
    problems: ['not_found'],
  })
  @Get(':id/versions/:n')
  getVersion(@Param('id') id: string, @Param('n') n: string) {
    return this.service.getVersion(id, n);
  }
}
