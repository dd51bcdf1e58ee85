import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { DeletedSecret, DeleteSecretQuery, SecretList, SecretQuery, SecretView, StoreSecret } from './secret.dto.js';
import { SECRET_EXAMPLE } from './secret.events.js';
import { SecretsService } from './secrets.service.js';

@Controller('api/admin/secrets')
export class SecretsController {
  constructor(private readonly secrets: SecretsService) {}

  @Route({
    id: 'admin.secrets.list',
    summary: 'List secrets',
    description: 'Names, expiry and use; no operation shows a value.',
    permission: 'secrets:read',
    query: SecretQuery,
    answer: SecretList,
    problems: ['cursor_invalid'],
  })
  @Get()
  list(@Query() query: SecretQuery) {
    return this.secrets.list(query);
  }

  @Route({
    id: 'admin.secrets.store',
    summary: 'Store a secret, or give it another value',
    description:
      'The value is sealed with the key of the tenant and used inside the server alone. With the name of a secret that exists it becomes its newest value; the one before is destroyed at once, or when its grace is over.',
    permission: 'secrets:manage',
    protected: true,
    body: StoreSecret,
    answer: SecretView,
    problems: ['limit_reached', 'duplicate'],
    example: {
      answer: {
        ...SECRET_EXAMPLE,
        fingerprint: '5f2b91c0',
        previousUsableUntil: null,
        lastUsedAt: null,
        usedBy: [],
      },
    },
  })
  @Post()
  store(@Body() input: StoreSecret) {
    return this.secrets.store(input);
  }

  @Route({
    id: 'admin.secrets.delete',
    summary: 'Delete a secret',
    description: 'Destroys all of its values. What refers to it cannot use it any more.',
    permission: 'secrets:manage',
    protected: true,
    query: DeleteSecretQuery,
    answer: DeletedSecret,
    problems: ['not_found', 'in_use'],
  })
  @Delete(':id')
  remove(@Param('id') id: string, @Query() { force = false }: DeleteSecretQuery) {
    return this.secrets.remove(id, force);
  }
}
