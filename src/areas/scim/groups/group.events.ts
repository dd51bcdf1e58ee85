import { Injectable } from '@nestjs/common';
import { constant, Field, id, instant, integer, listOf, text } from '#libs/http/field.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { SCIM_PATH } from '../scim-path.js';
import type { GroupRow } from './groups.repository.js';

export const GROUP_TYPE = 'scim.group';
/** API path of groups. */
export const GROUPS_PATH = `${SCIM_PATH}/Groups`;

/** Maximum number of members listed in an event or audit entry. */
const NAMED = 100;

/** Event data of a group. */
export class ScimGroupFacts {
  @Field(id(), { description: 'Id of the group.' })
  id!: string;

  @Field(constant(GROUP_TYPE), { description: 'Type of the record.', example: GROUP_TYPE })
  object!: string;

  @Field(text({ max: 4_096 }), { description: 'Name of the group.', example: 'Sales' })
  displayName!: string;

  @Field(text({ max: 4_096 }), { description: 'Id at the identity provider.', example: '00g1a2b3c4', nullable: true })
  externalId!: string | null;

  @Field(id(), { description: 'Configuration of the identity provider that made the group.' })
  configurationId!: string;

  @Field(listOf(id(), { max: NAMED }), {
    description: `Users who joined by this change; the first ${NAMED}.`,
    example: [],
  })
  joined!: string[];

  @Field(listOf(id(), { max: NAMED }), {
    description: `Users who left by this change; the first ${NAMED}.`,
    example: [],
  })
  left!: string[];

  @Field(integer({ min: 1, max: 2_147_483_647 }), { description: 'Rises with each change.', example: 1 })
  version!: number;

  @Field(instant(), { description: 'Time at which the group was made.', example: '2026-11-21T09:15:02.114Z' })
  createdAt!: string;

  @Field(instant(), { description: 'Time at which the group last changed.', example: '2026-11-21T09:15:02.114Z' })
  updatedAt!: string;
}

/** Users who joined and left a group in one change. */
export interface Movement {
  joined: ReadonlySet<string>;
  left: ReadonlySet<string>;
}

export function groupFacts(row: GroupRow, { joined, left }: Movement): ScimGroupFacts {
  const { displayName, externalId } = row.data as { displayName: string; externalId?: string };
  return {
    id: row.id,
    object: GROUP_TYPE,
    displayName,
    externalId: externalId ?? null,
    configurationId: row.configId,
    joined: [...joined].slice(0, NAMED),
    left: [...left].slice(0, NAMED),
    version: row.version,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

const EXAMPLE = {
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b23',
  object: GROUP_TYPE,
  displayName: 'Sales',
  externalId: '00g1a2b3c4',
  configurationId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b70',
  joined: ['019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22'],
  left: [],
  version: 1,
  createdAt: '2026-11-21T09:15:02.114Z',
  updatedAt: '2026-11-21T09:15:02.114Z',
};

/** Declares the events about SCIM groups when the process starts. */
@Injectable()
export class GroupEvents {
  constructor(registry: ResourceRegistry) {
    const events = {
      created: 'An identity provider made a group.',
      updated: 'An identity provider changed a group or its members.',
      deleted: 'An identity provider deleted a group.',
    };
    registry.declareObject({
      type: GROUP_TYPE,
      told: ScimGroupFacts,
      events,
      example: EXAMPLE,
      path: GROUPS_PATH,
      hasPath: true,
    });
  }
}
