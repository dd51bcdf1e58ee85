import { Body, Controller, Delete, Param, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { routesOf } from '#libs/resource/routes/object-routes.js';
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

const PERMISSION = { permission: 'ai-policy:manage' } as const;
const route = routesOf(providers, 'ai.providers', PERMISSION);
const besides = [
  { scope: 'secrets:manage' as const, when: 'To set the address to which requests with its key are sent.' },
];

@Controller(providers.path)
export class ProvidersController {
  constructor(
    private readonly providers: Providers,
    private readonly changes: ProviderChangesService,
  ) {}

  @route.list({ summary: 'List AI providers', query: AiProviderQuery, answer: AiProviderList })
  list(@Query() query: AiProviderQuery) {
    return this.providers.list(query);
  }

  @route.create({
    summary: 'Connect an AI provider',
    description:
      'A service that speaks chat completions as OpenAI or messages as Anthropic, with its key from the secrets. Nothing is sent to it before it has models.',
    besides,
    problems: ['limit_reached', 'duplicate', 'permission_denied', 'step_up_required'],
    example: { answer: providers.example },
  })
  create(@Body() input: NewProvider) {
    return this.changes.create(input);
  }

  @route.read({ summary: 'Read an AI provider', example: { answer: providers.example } })
  get(@Param('id') id: string) {
    return this.providers.get(id);
  }

  @route.update({
    summary: 'Change an AI provider',
    description: 'Calls in progress continue; later calls use the new values.',
    besides,
    problems: ['record_locked', 'permission_denied', 'step_up_required'],
    example: { body: { enabled: false }, answer: { ...providers.example, enabled: false, version: 2 } },
  })
  update(@Param('id') id: string, @Body() patch: ProviderPatch) {
    return this.changes.update(id, patch);
  }

  @Route({
    ...PERMISSION,
    id: 'ai.providers.delete',
    summary: 'Delete an AI provider',
    description: 'One that has models, or that an agent names, cannot be deleted.',
    answer: DeletedAiRecord,
    problems: ['not_found', 'in_use', 'record_locked'],
  })
  @Delete(':id')
  remove(@Param('id') id: string) {
    return this.changes.remove(id);
  }
}
