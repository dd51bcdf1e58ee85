import { Body, Controller, Delete, Param, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { routesOf } from '#libs/resource/routes/object-routes.js';
import { secrets } from './secret.js';
import { DeletedSecret, DeleteSecretQuery, SecretQuery } from './secret.requests.js';
import { SecretsService, type StoredSecret } from './secrets.service.js';

const route = routesOf(secrets, 'admin.secrets', { permission: 'secrets:read' });
const MANAGE = { permission: 'secrets:manage', protected: true } as const;

@Controller(secrets.path)
export class SecretsController {
  constructor(private readonly secrets: SecretsService) {}

  @route.list({
    summary: 'List secrets',
    description: 'Names, expiry and use; no operation shows a value.',
    query: SecretQuery,
  })
  list(@Query() query: SecretQuery) {
    return this.secrets.list(query);
  }

  @Route({
    ...MANAGE,
    id: 'admin.secrets.store',
    summary: 'Store a secret, or give it another value',
    description:
      'The value is sealed with the key of the tenant and used inside the server alone. If a secret has the name, it gets the new value; its previous value is destroyed at once, or when its grace is over.',
    body: secrets.create,
    answer: secrets.view,
    problems: ['limit_reached', 'duplicate'],
    example: { answer: secrets.example },
  })
  @Post()
  store(@Body() input: StoredSecret) {
    return this.secrets.store(input);
  }

  @Route({
    ...MANAGE,
    id: 'admin.secrets.delete',
    summary: 'Delete a secret',
    description: 'Destroys all of its values. What refers to it cannot use it any more.',
    query: DeleteSecretQuery,
    answer: DeletedSecret,
    problems: ['not_found', 'in_use'],
  })
  @Delete(':id')
  remove(@Param('id') id: string, @Query() { force }: DeleteSecretQuery) {
    return this.secrets.remove(id, force === true);
  }
}
