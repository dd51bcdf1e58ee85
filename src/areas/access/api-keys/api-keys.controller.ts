import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import type { ProblemCode } from '#libs/kernel/problem.js';
import { Deleted, pageOf } from '#libs/resource/types/record.dto.js';
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

const MANAGE = 'api-keys:manage';
const RIGHTS: ProblemCode[] = ['grant_exceeds_rights', 'step_up_required'];
const BESIDES = [
  { scope: 'api-keys:manage-all' as const, when: 'for personal keys of others and for keys that never expire' },
];

@Controller(apiKeys.path)
export class ApiKeysController {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly usage: ApiKeyUsageService,
  ) {}

  @Route({
    id: 'settings.api_keys.list',
    summary: 'List API keys',
    description:
      'Your own keys and service keys with no more rights than yours; with `api-keys:manage-all` all keys. Secrets are not returned again.',
    permission: MANAGE,
    byPerson: true,
    withinReach: true,
    inPerson: true,
    besides: BESIDES,
    query: ApiKeyQuery,
    answer: pageOf(apiKeys.view),
    problems: ['cursor_invalid'],
  })
  @Get()
  list(@Query() query: ApiKeyQuery) {
    return this.keys.list(query);
  }

  @Route({
    id: 'settings.api_keys.create',
    summary: 'Create an API key',
    description:
      'The key is returned only once. A retry with the same idempotency key returns it again and is audited. A key cannot have more rights than you have now: its scopes must be among your permissions and, if you call with a key, among the scopes of that key. Service keys require a permission that reaches the whole tenant.',
    permission: MANAGE,
    byPerson: true,
    withinReach: true,
    inPerson: true,
    besides: BESIDES,
    status: 201,
    body: apiKeys.create,
    answer: ApiKeyWithSecret,
    record: true,
    secretAnswer: true,
    problems: [...RIGHTS, 'limit_reached'],
  })
  @Post()
  create(@Body() input: NewApiKey) {
    return this.keys.create(input);
  }

  @Route({
    id: 'settings.api_keys.get',
    summary: 'Read an API key',
    permission: MANAGE,
    byPerson: true,
    withinReach: true,
    inPerson: true,
    besides: BESIDES,
    answer: apiKeys.view,
    record: true,
    problems: ['not_found'],
  })
  @Get(':id')
  get(@Param('id') id: string) {
    return this.keys.get(id);
  }

  @Route({
    id: 'settings.api_keys.update',
    summary: 'Change an API key',
    description:
      'A JSON merge patch (RFC 7396). It applies from the next request with the key on, also to an old secret that is still valid after a rotation. Added rights must be within your own.',
    permission: MANAGE,
    byPerson: true,
    withinReach: true,
    inPerson: true,
    besides: BESIDES,
    body: apiKeys.update,
    answer: apiKeys.view,
    record: true,
    problems: ['not_found', ...RIGHTS, 'not_by_oneself', 'record_locked', 'version_mismatch'],
  })
  @Patch(':id')
  update(@Param('id') id: string, @Body() patch: ApiKeyPatch) {
    return this.keys.update(id, patch);
  }

  @Route({
    id: 'settings.api_keys.delete',
    summary: 'Delete an API key',
    description: 'Revokes the key if it is still valid, and removes it from lists.',
    permission: MANAGE,
    byPerson: true,
    withinReach: true,
    inPerson: true,
    besides: BESIDES,
    answer: Deleted,
    problems: ['not_found', 'version_mismatch'],
  })
  @Delete(':id')
  remove(@Param('id') id: string) {
    return this.keys.remove(id);
  }

  @Route({
    id: 'settings.api_keys.rotate',
    summary: 'Rotate an API key',
    description:
      'The new key is returned only once. Id, rights and history stay; the new secret has the same lifetime as the old one. Only the owner can rotate a personal key.',
    permission: MANAGE,
    byPerson: true,
    withinReach: true,
    inPerson: true,
    besides: BESIDES,
    body: RotateApiKey,
    bodyOptional: true,
    answer: ApiKeyWithSecret,
    record: true,
    secretAnswer: true,
    problems: ['not_found', 'step_up_required', 'invalid_transition', 'version_mismatch'],
  })
  @Post(':id/rotate')
  rotate(@Param('id') id: string, @Body() { overlapHours }: RotateApiKey) {
    return this.keys.rotate(id, overlapHours);
  }

  @Route({
    id: 'settings.api_keys.revoke',
    summary: 'Revoke an API key',
    description: 'Revokes the key permanently, with immediate effect.',
    permission: MANAGE,
    byPerson: true,
    withinReach: true,
    inPerson: true,
    besides: BESIDES,
    answer: apiKeys.view,
    record: true,
    problems: ['not_found', 'invalid_transition', 'version_mismatch'],
  })
  @Post(':id/revoke')
  revoke(@Param('id') id: string) {
    return this.keys.revoke(id);
  }

  @Route({
    id: 'settings.api_keys.usage',
    summary: 'Read the usage of an API key',
    description: 'Usage of the last 30 days, and the scopes that were sufficient for the requests.',
    permission: MANAGE,
    byPerson: true,
    withinReach: true,
    inPerson: true,
    besides: BESIDES,
    answer: ApiKeyUsage,
    problems: ['not_found'],
  })
  @Get(':id/usage')
  read(@Param('id') id: string) {
    return this.usage.read(id);
  }
}
