import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { providers } from './provider.js';
import {
  AiProviderList,
  AiProviderQuery,
  DeletedAiRecord,
  type NewProvider,
  type ProviderPatch,
} from './provider.requests.js';
import { ProviderChangesService } from './provider-changes.service.js';
import { Providers } from './providers.service.js';

@Controller(providers.path)
export class ProvidersController {
  constructor(
    private readonly providers: Providers,
    private readonly changes: ProviderChangesService,
  ) {}

  @Route({
    id: 'ai.providers.list',
    summary: 'List AI providers',
    permission: 'ai-policy:manage',
    query: AiProviderQuery,
    answer: AiProviderList,
    problems: ['cursor_invalid'],
  })
  @Get()
  list(@Query() query: AiProviderQuery) {
    return this.providers.list(query);
  }

  @Route({
    id: 'ai.providers.create',
    summary: 'Connect an AI provider',
    description:
      'A service that speaks chat completions as OpenAI or messages as Anthropic, with its key from the secrets. Nothing is sent to it before it has models.',
    permission: 'ai-policy:manage',
    besides: [{ scope: 'secrets:manage', when: 'To set the address to which requests with its key are sent.' }],
    status: 201,
    body: providers.create,
    answer: providers.view,
    record: true,
    problems: ['limit_reached', 'duplicate', 'permission_denied', 'step_up_required'],
    example: { answer: providers.example },
  })
  @Post()
  create(@Body() input: NewProvider) {
    return this.changes.create(input);
  }

  @Route({
    id: 'ai.providers.get',
    summary: 'Read an AI provider',
    permission: 'ai-policy:manage',
    answer: providers.view,
    record: true,
    example: { answer: providers.example },
  })
  @Get(':id')
  get(@Param('id') id: string) {
    return this.providers.get(id);
  }

  @Route({
    id: 'ai.providers.update',
    summary: 'Change an AI provider',
    description: 'Calls in progress continue; later calls use the new values.',
    permission: 'ai-policy:manage',
    besides: [{ scope: 'secrets:manage', when: 'To set the address to which requests with its key are sent.' }],
    body: providers.update,
    answer: providers.view,
    record: true,
    problems: ['record_locked', 'permission_denied', 'step_up_required'],
    example: { body: { enabled: false }, answer: { ...providers.example, enabled: false, version: 2 } },
  })
  @Patch(':id')
  update(@Param('id') id: string, @Body() patch: ProviderPatch) {
    return this.changes.update(id, patch);
  }

  @Route({
    id: 'ai.providers.delete',
    summary: 'Delete an AI provider',
    description: 'One that has models, or that an agent names, cannot be deleted.',
    permission: 'ai-policy:manage',
    answer: DeletedAiRecord,
    problems: ['not_found', 'in_use', 'record_locked'],
  })
  @Delete(':id')
  remove(@Param('id') id: string) {
    return this.changes.remove(id);
  }
}
