import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { Field, flag, id, integer, oneOf, text } from '#libs/http/field.js';
import { Route } from '#libs/http/route.js';
import { asksForNames } from '#libs/resource/named-list.js';
import { ShortListQuery } from '#libs/resource/page-query.js';
import { pageOf } from '#libs/resource/record.dto.js';
import { SECRET_KINDS, secrets } from './secret.js';
import { SecretsService, type StoredSecret } from './secrets.service.js';

const days = integer({ min: 0, max: 3_650 });

export class SecretQuery extends ShortListQuery {
  @Field(oneOf(SECRET_KINDS), { description: 'Only secrets of this kind.', optional: true })
  kind?: string;

  @Field(text({ min: 1, max: 100 }), { description: 'Only with this text in name or description.', optional: true })
  q?: string;

  @Field(days, { description: 'Only secrets that expire within so many days, or have expired.', optional: true })
  expiringInDays?: number;

  @Field(days, { description: 'Only secrets neither used nor rotated for so many days.', optional: true })
  unusedForDays?: number;
}
asksForNames(SecretQuery, '`name`');

class DeleteSecretQuery {
  @Field(flag(), { description: 'Delete it although something refers to it.', optional: true })
  force?: boolean;
}

class DeletedSecret {
  @Field(id(), { description: 'Id of the secret.' })
  id!: string;

  @Field(flag(), { description: 'True: all of its values are destroyed.', example: true })
  deleted!: boolean;
}

@Controller(secrets.path)
export class SecretsController {
  constructor(private readonly secrets: SecretsService) {}

  @Route({
    id: 'admin.secrets.list',
    summary: 'List secrets',
    description: 'Names, expiry and use; no operation shows a value.',
    permission: 'secrets:read',
    query: SecretQuery,
    answer: pageOf(secrets.view),
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
      'The value is sealed with the key of the tenant and used inside the server alone. If a secret has the name, it gets the new value; its previous value is destroyed at once, or when its grace is over.',
    permission: 'secrets:manage',
    protected: true,
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
