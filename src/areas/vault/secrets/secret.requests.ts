import { Field, flag, id, integer, oneOf, text } from '#libs/http/field.js';
import { asksForNames } from '#libs/resource/lists/named-list.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { SECRET_KINDS } from './secret.js';

const days = integer({ min: 0, max: 3_650 });

export class SecretQuery extends PageQuery {
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

export class DeleteSecretQuery {
  @Field(flag(), { description: 'Delete it although something refers to it.', optional: true })
  force?: boolean;
}

export class DeletedSecret {
  @Field(id(), { description: 'Id of the secret.' })
  id!: string;

  @Field(flag(), { description: 'True: all of its values are destroyed.', example: true })
  deleted!: boolean;
}
