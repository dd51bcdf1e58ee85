import { Body, Controller, Get, Param, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import type { ProblemCode } from '#libs/kernel/problem.js';
import { routesOf } from '#libs/resource/routes/object-routes.js';
import { apiKeys } from './api-key.js';
import {
  type ApiKeyPatch,
  ApiKeyQuery,
  ApiKeyUsage,
  ApiKeyWithSecret,
  type NewApiKey,
  RotateApiKey,
} from './api-key.requests.js';
import { ApiKeyUsageService } from './api-key-usage.service.js';
import { ApiKeysService } from './api-keys.service.js';

const RIGHTS: ProblemCode[] = ['grant_exceeds_rights', 'step_up_required'];
const COMMON = {
  permission: 'api-keys:manage' as const,
  byPerson: true as const,
  withinReach: true,
  inPerson: true as const,
  besides: [
    { scope: 'api-keys:manage-all' as const, when: 'for personal keys of others and for keys that never expire' },
  ],
};
const route = routesOf(apiKeys, 'settings.api_keys', COMMON);

@Controller(apiKeys.path)
export class ApiKeysController {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly usage: ApiKeyUsageService,
  ) {}

  @route.list({
    summary: 'List API keys',
    description:
      'Your own keys and service keys with no more rights than yours; with `api-keys:manage-all` all keys. Secrets are not returned again.',
    query: ApiKeyQuery,
  })
  list(@Query() query: ApiKeyQuery) {
    return this.keys.list(query);
  }

  @route.create({
    summary: 'Create an API key',
    description:
      'The key is returned only once. A retry with the same idempotency key returns it again and is audited. A key cannot have more rights than you have now: its scopes must be among your permissions and, if you call with a key, among the scopes of that key. Service keys require a permission that reaches the whole tenant.',
    answer: ApiKeyWithSecret,
    secretAnswer: true,
    problems: [...RIGHTS, 'limit_reached'],
  })
  create(@Body() input: NewApiKey) {
    return this.keys.create(input);
  }

  @route.read({
    summary: 'Read an API key',
  })
  get(@Param('id') id: string) {
    return this.keys.get(id);
  }

  @route.update({
    summary: 'Change an API key',
    description:
      'A JSON merge patch (RFC 7396). It applies from the next request with the key on, also to an old secret that is still valid after a rotation. Added rights must be within your own.',
    problems: [...RIGHTS, 'not_by_oneself', 'record_locked'],
  })
  update(@Param('id') id: string, @Body() patch: ApiKeyPatch) {
    return this.keys.update(id, patch);
  }

  @route.remove({
    summary: 'Delete an API key',
    description: 'Revokes the key if it is still valid, and removes it from lists.',
  })
  remove(@Param('id') id: string) {
    return this.keys.remove(id);
  }

  @route.act('rotate', {
    summary: 'Rotate an API key',
    description:
      'The new key is returned only once. Id, rights and history stay; the new secret has the same lifetime as the old one. Only the owner can rotate a personal key.',
    body: RotateApiKey,
    bodyOptional: true,
    answer: ApiKeyWithSecret,
    secretAnswer: true,
    problems: ['step_up_required'],
  })
  rotate(@Param('id') id: string, @Body() { overlapHours }: RotateApiKey) {
    return this.keys.rotate(id, overlapHours);
  }

  @route.act('revoke', {
    summary: 'Revoke an API key',
    description: 'Revokes the key permanently, with immediate effect.',
  })
  revoke(@Param('id') id: string) {
    return this.keys.revoke(id);
  }

  @Route({
    ...COMMON,
    id: 'settings.api_keys.usage',
    summary: 'Read the usage of an API key',
    description: 'Usage of the last 30 days, and the scopes that were sufficient for the requests.',
    answer: ApiKeyUsage,
    problems: ['not_found'],
  })
  @Get(':id/usage')
  read(@Param('id') id: string) {
    return this.usage.read(id);
  }
}
