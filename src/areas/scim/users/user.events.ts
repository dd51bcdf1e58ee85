import { Injectable } from '@nestjs/common';
import { constant, Field, flag, id, instant, integer, text } from '#libs/http/field.js';
import { MEMBERSHIPS_PATH } from '#libs/members/member-records.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { UserRow } from './users.repository.js';

export const USER_TYPE = 'scim.user';

/** Event data of a user. Its attributes are personal, so events and audit entries omit them. */
export class ScimUserFacts {
  @Field(id(), { description: 'Id of the user, which is that of the membership.' })
  id!: string;

  @Field(constant(USER_TYPE), { description: 'Type of the record.', example: USER_TYPE })
  object!: string;

  @Field(text({ max: 500 }), { description: 'Id at the identity provider.', example: '00u1a2b3c4', nullable: true })
  externalId!: string | null;

  @Field(flag(), { description: 'Whether the membership is active.', example: true })
  active!: boolean;

  @Field(id(), { description: 'Configuration of the identity provider that manages the user.', nullable: true })
  configurationId!: string | null;

  @Field(integer({ min: 1, max: 2_147_483_647 }), { description: 'Rises with each change.', example: 1 })
  version!: number;

  @Field(instant(), { description: 'Time at which the user was made.', example: '2026-11-21T09:15:02.114Z' })
  createdAt!: string;

  @Field(instant(), { description: 'Time at which the user last changed.', example: '2026-11-21T09:15:02.114Z' })
  updatedAt!: string;
}

/** The non-personal part of a user. */
export function userFacts({ id, configId, active, data, version, createdAt, updatedAt }: UserRow): ScimUserFacts {
  return {
    id,
    object: USER_TYPE,
    externalId: (data['externalId'] as string | undefined) ?? null,
    active,
    configurationId: configId,
    version,
    createdAt,
    updatedAt,
  };
}

const EXAMPLE = {
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22',
  object: USER_TYPE,
  externalId: '00u1a2b3c4',
  active: true,
  configurationId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b70',
  version: 1,
  createdAt: '2026-11-21T09:15:02.114Z',
  updatedAt: '2026-11-21T09:15:02.114Z',
};

/** Declares the events about SCIM users when the process starts. */
@Injectable()
export class UserEvents {
  constructor(registry: ResourceRegistry) {
    const events = {
      created: 'An identity provider made a user.',
      updated: 'An identity provider changed a user, or took one over.',
      deleted: 'An identity provider deleted a user.',
    };
    registry.declareObject({
      type: USER_TYPE,
      told: ScimUserFacts,
      events,
      example: EXAMPLE,
      path: MEMBERSHIPS_PATH,
      hasPath: true,
    });
  }
}
