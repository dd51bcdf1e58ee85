import { Injectable } from '@nestjs/common';
import { Cursors } from '#libs/kernel/cursor.js';
import { Problem } from '#libs/kernel/problem.js';
import { fieldsOf } from '#libs/http/field.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import { CustomFields } from '#libs/resource/records/custom-fields.js';
import { OperationCatalogue } from '../operations/operation-catalogue.js';
import { checkKnown } from '../operations/operations.service.js';
import { statesOf } from './states-of.js';
import { type KnownType, TypeCatalogue } from './type-catalogue.js';
import { fieldsOfType, filtersOf } from './type-fields.js';
import type {
  DiscoveredEvent,
  DiscoveredRelation,
  DiscoveredType,
  TypeDetail,
  TypeList,
  TypeQuery,
} from './type.dto.js';

/** The types of records and objects, with their declarations and the tenant's custom fields. */
@Injectable()
export class TypesService {
  constructor(
    private readonly types: TypeCatalogue,
    private readonly operations: OperationCatalogue,
    private readonly events: EventCatalogue,
    private readonly customFields: CustomFields,
    private readonly cursors: Cursors,
  ) {}

  async list(query: TypeQuery): Promise<TypeList> {
    const { area } = query;
    const all = this.types.all();
    const areas = [...(await this.operations.all()).values()].map((each) => each.area);
    checkKnown('area', area, new Set(areas));
    const found = all.filter((each) => each.area === (area ?? each.area)).map(summaryOf);
    const listed = found.map((each) => ({ id: each.object, ...each }));
    return pageOfAll(listed, query, this.cursors, ['discovery.types', area]);
  }

  /** @throws Problem 404. */
  async get(object: string): Promise<TypeDetail> {
    const all = this.types.all();
    const type = all.find((each) => each.object === object);
    if (!type) throw Problem.notFound();
    return {
      ...summaryOf(type),
      fields: fieldsOfType(type),
      filters: filtersOf(type),
      states: statesOf(type),
      events: this.eventsOf(object),
      relations: relationsOf(type, all),
      namedBy: all.flatMap((each) =>
        relationsOf(each, all)
          .filter((relation) => relation.object === object)
          .map(({ field, many }) => ({ field, many, object: each.object })),
      ),
      customFields: type.kind === 'record' ? await this.customFields.described(object) : [],
      operations: await this.operationsOf(type),
    };
  }

  private eventsOf(object: string): DiscoveredEvent[] {
    const newest = new Map(
      this.events
        .all()
        .filter(({ type }) => type.slice(0, type.lastIndexOf('.')) === object)
        .map(({ type, version, description }) => [type, { type, version, about: description }]),
    );
    return [...newest.values()];
  }

  /** Operations at or below the path of the collection. */
  private async operationsOf({ path }: KnownType): Promise<string[]> {
    const all = [...(await this.operations.all()).values()];
    return all.filter((each) => each.path === path || each.path.startsWith(`${path}/`)).map(({ id }) => id);
  }
}

function summaryOf({ object, noun, area, kind, path, permissions }: KnownType): DiscoveredType {
  return {
    object,
    noun,
    area,
    kind,
    path,
    readPermission: permissions?.read ?? null,
    writePermission: permissions?.write ?? null,
    self: `/api/discovery/types/${object}`,
  };
}

/** The references in the fields of a type, resolved by target table. */
function relationsOf({ references, view, create }: KnownType, all: readonly KnownType[]): DiscoveredRelation[] {
  return Object.entries(references).map(([field, { table }]) => {
    const kind = (fieldsOf(view).get(field) ?? fieldsOf(create).get(field))?.kind;
    return {
      field,
      object: all.find((each) => each.table === table)?.object ?? null,
      many: kind?.schema['type'] === 'array',
    };
  });
}
