import { Entity } from 'typeorm';
import type { RiskLevel } from '#libs/audit/audit-entry.js';
import type { EntityClass } from '#libs/database/data-source.js';
import type { VersionedRow } from '#libs/database/tenant-row.js';
import { constant, Field, fieldsOf, id, instant, integer, type ModelClass } from '#libs/http/field.js';
import type { ListOptions } from '../lists/list-query.js';
import { attributesOf, exampleOf, Fields, inputOf, outputOf } from './attribute.js';
import { mergePatchOf, model } from './record.dto.js';

/** Facts about a governed type, besides its fields. */
export interface GovernedFacts {
  /** Type key, also the prefix of its event types, e.g. `core.secret`. */
  type: string;
  noun: string;
  /** Schema-qualified name of the table. */
  table: string;
  /** Path of the collection in the API. */
  path: string;
  /** Its events: a sentence about what happened, by verb. */
  events: Record<string, string>;
  risk: RiskLevel;
  /** False if single objects have no path. */
  hasPath?: false;
  /** SQL of the type and id of the record that a row `t` is about; absent if the objects are not about records. */
  about?: { type: string; id: string };
  /** Fields in which ids of any records can stand, each with the verb of the event of its change after a merge. */
  names?: Record<string, string>;
  /** Members of {@link GovernedView} that the API omits. */
  without?: readonly (keyof GovernedView)[];
  /** The query of its list, if its pages are read from the database; types with few objects sort and filter them all. */
  list?: ListOptions;
  /** The largest number of its objects per tenant. */
  limit?: ObjectLimit;
  /** A deleted object stays as a row with `deletedAt`, for others that refer to it. */
  keepsDeleted?: true;
  /** The actions on objects that have states. */
  actions?: Record<string, ObjectAction>;
}

export interface ObjectLimit {
  max: number;
  /** Detail of the 409 `limit_reached`. */
  detail: string;
  /** SQL condition over the row `t` for the objects that count; all by default. */
  of?: string;
}

/** An action that is possible in some states of an object. The service of the type knows the state of an object. */
export interface ObjectAction {
  from: readonly string[];
  /** Verb of its event, in the past tense. */
  event: string;
}

/** The fields that every governed object shows. */
export abstract class GovernedView {
  @Field(id(), { description: 'Id of the object (UUIDv7).', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1e01' })
  id!: string;

  @Field(integer({ min: 1, max: 2_147_483_647 }), {
    description: 'Increases by one with each change; also the ETag.',
    example: 1,
  })
  version!: number;

  @Field(instant(), { description: 'Time of creation.', example: '2026-11-21T09:15:02.114Z' })
  createdAt!: string;

  @Field(instant(), { description: 'Time of the last change.', example: '2026-11-21T09:15:02.114Z' })
  updatedAt!: string;
}

/** What the verbs of the kit read. */
type Behaviour = 'list' | 'limit' | 'keepsDeleted' | 'actions';

/** The complete declaration of a governed type. */
export interface GovernedDefinition<R extends VersionedRow>
  extends Required<Pick<GovernedFacts, 'events' | 'risk'>>, Pick<GovernedFacts, 'about' | 'names' | Behaviour> {
  type: string;
  noun: string;
  /** Schema-qualified name. */
  table: string;
  path: string;
  hasPath: boolean;
  entity: EntityClass<R>;
  /** An object as administrators see it. */
  view: ModelClass;
  /** An object as it appears in events and audit entries. */
  told: ModelClass;
  create: ModelClass;
  update: ModelClass;
  /** An example of {@link view}. */
  example: Record<string, unknown>;
}

/** The view of an object, as a type. */
export type ShownObject<R extends VersionedRow> = Omit<R, 'tenantId'> & { object: string };

/** Builds the declaration of a governed type from the fields of its class and these facts. */
export function governedType<R extends VersionedRow>(
  entity: EntityClass<R>,
  facts: GovernedFacts,
): GovernedDefinition<R> {
  const { type, noun, table, path, events, risk, hasPath = true, about, names, without = [], ...behaviour } = facts;
  const [schema, name] = table.split('.') as [string, string];
  Entity({ schema, name })(entity);
  const fields = new Fields(attributesOf(entity));
  const shown = fields.of('isShown');
  const common = [...fieldsOf(GovernedView)].filter(([field]) => !without.includes(field as keyof GovernedView));
  const envelope = {
    ...Object.fromEntries(common),
    object: { kind: constant(type), description: 'Type of the object.', example: type },
  };
  const create = model(`Create${entity.name}`, fields.of('isSet').map(inputOf));
  return {
    type,
    noun,
    table,
    path,
    hasPath,
    entity,
    events,
    risk,
    ...(about && { about }),
    ...(names && { names }),
    ...behaviour,
    view: model(`${entity.name}View`, { ...envelope, ...shown.map(outputOf) }),
    told: model(`${entity.name}Facts`, { ...envelope, ...shown.lacking('told').map(outputOf) }),
    create,
    update: mergePatchOf(
      `Update${entity.name}`,
      model(`${entity.name}Patch`, fields.of('isSet').lacking('once').map(inputOf)),
    ),
    example: {
      ...Object.fromEntries(Object.entries(envelope).map(([field, { example }]) => [field, example])),
      ...shown.map(exampleOf),
    },
  };
}
