import { Field, flag, id, instant, integer, nested } from '#libs/http/field.js';
import { ActorView } from '#libs/resource/record.dto.js';

/** A record that the platform may bring along: nobody has made that one, and nobody can change it. */
export class MaybeBuiltIn {
  @Field(id(), { description: 'Its id.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1e02' })
  id!: string;

  @Field(flag(), { description: 'Whether it is used.', example: true })
  enabled!: boolean;

  @Field(flag(), { description: 'Whether it is part of the platform and cannot be changed.' })
  isBuiltIn!: boolean;

  @Field(integer({ min: 1, max: 2_147_483_647 }), { description: 'Rises with each change; also the ETag.', example: 1 })
  version!: number;

  @Field(instant(), { description: 'When it was made; null for the built-in one.', nullable: true })
  createdAt!: string | null;

  @Field(nested(ActorView), { description: 'Who made it; null for the built-in one.', nullable: true })
  createdBy!: ActorView | null;

  @Field(instant(), { description: 'When it last changed; null for the built-in one.', nullable: true })
  updatedAt!: string | null;
}
