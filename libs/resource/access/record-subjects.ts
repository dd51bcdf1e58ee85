import { Injectable } from '@nestjs/common';
import { isClosed } from '#libs/access/limits.js';
import { requireFeatureForSure, requireForSure } from '#libs/auth/current-principal.js';
import { featureOf } from '#libs/auth/features.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { operationPrefix, pathOf } from '../types/definition.js';
import type { RecordRow } from '../types/record.entity.js';
import { type Resource, ResourceRegistry } from '../resource-registry.js';
import { amongReadable } from './readable.js';

/** The record identified by a path. */
export interface Place {
  area: string;
  collection: string;
  id: string;
}

/** Type key and id of a record. */
export interface RecordName {
  object: string;
  id: string;
}

/** A record to which something belongs, such as a comment or a checklist. */
export interface RecordSubject {
  /** Type key, e.g. `sales.deal`. */
  object: string;
  id: string;
  reference: string;
  name: string;
  ownerId: string | null;
  /** Path of the record in the API. */
  url: string;
  /** Whether it is archived and therefore read-only. */
  isArchived: boolean;
}

/** @throws Problem 409 `record_locked` for an archived record. */
export function refuseArchived({ isArchived }: RecordSubject): void {
  if (isArchived) throw new Problem('record_locked', 'The record is archived.');
}

/** Finds records of any type through their own services, so records that the caller may not see are not found. */
@Injectable()
export class RecordSubjects {
  constructor(
    private readonly registry: ResourceRegistry,
    private readonly database: Database,
  ) {}

  /** The record at a path. @throws Problem 404, 403 without the permission to read records of its type. */
  async at({ area, collection, id }: Place): Promise<RecordSubject> {
    return this.of(await this.resourceAt(area, collection), id);
  }

  /** Like {@link at}, but also checks a permission on the record's timeline. @throws also Problem 403 without it. */
  async atFor({ area, collection, id }: Place, permission: string): Promise<RecordSubject> {
    return this.openTo(permission, await this.resourceAt(area, collection), id);
  }

  /** The record with a type and an id. @throws Problem 404, also for an unknown type, and 403. */
  async named(object: string, id: string): Promise<RecordSubject> {
    const resource = this.registry.ofType(object);
    if (!resource) throw Problem.notFound();
    return this.of(resource, id);
  }

  /** Like {@link named}, but also checks a permission on the record. @throws also Problem 403 without it. */
  async namedFor(object: string, id: string, permission: string): Promise<RecordSubject> {
    const resource = this.registry.ofType(object);
    if (!resource) throw Problem.notFound();
    return this.openTo(permission, resource, id);
  }

  /**
   * The named records, in the same order; null for each that the caller cannot see, is in the trash, or is of a type
   * that is unknown or that the tenant has disabled. Reads all types in one statement.
   */
  async visibleAmong(named: readonly RecordName[]): Promise<(RecordSubject | null)[]> {
    const values: unknown[] = [currentTenant().id];
    const add = (value: unknown): string => `$${values.push(value)}`;
    const selects = [...Map.groupBy(named, ({ object }) => object)].flatMap(([object, records]) => {
      const resource = this.registry.ofType(object);
      const ids = records.map(({ id }) => id);
      return resource ? selectVisible(resource, ids, add) : [];
    });
    if (selects.length === 0) return named.map(() => null);
    const rows = await this.database.read<FoundRecord>(statement(selects.join(' union all '), values));
    const found = new Map(rows.map((row) => [`${row.object} ${row.id}`, row]));
    return named.map(({ object, id }) => {
      const row = found.get(`${object} ${id}`);
      return row ? { ...row, url: this.urlOf(object, id) } : null;
    });
  }

  /** Whether a record type exists. */
  knows(object: string): boolean {
    return this.registry.ofType(object) !== undefined;
  }

  /** As {@link named}; null for a record that the caller may not see. */
  async ifVisible(object: string, id: string): Promise<RecordSubject | null> {
    const resource = this.registry.ofType(object);
    if (!resource || isClosed(resource.definition, resource.definition.permissions.read)) return null;
    try {
      return shown(resource, await resource.service.read(id));
    } catch (error) {
      if (error instanceof Problem && error.code === 'not_found') return null;
      throw error;
    }
  }

  /** Path of a record in the API. */
  urlOf(object: string, id: string): string {
    const resource = this.registry.ofType(object);
    return resource ? `${pathOf(resource.definition)}/${id}` : '';
  }

  /** @throws Problem 404; 403 in an area that the tenant has disabled. */
  private async resourceAt(area: string, collection: string): Promise<Resource> {
    const resource = this.registry.atPath(`/api/v1/${area}/${collection}`);
    if (!resource) throw Problem.notFound();
    const feature = featureOf(operationPrefix(resource.definition));
    if (feature !== null) await requireFeatureForSure(feature);
    return resource;
  }

  private async openTo(permission: string, resource: Resource, id: string): Promise<RecordSubject> {
    const { type, permissions } = resource.definition;
    await requireForSure(permissions.read, { object: type });
    await requireForSure(permission, { object: type });
    return shown(resource, await resource.service.readFor(id, permission));
  }

  private async of(resource: Resource, id: string): Promise<RecordSubject> {
    const { type, permissions } = resource.definition;
    await requireForSure(permissions.read, { object: type });
    return shown(resource, await resource.service.read(id));
  }
}

function shown({ definition }: Resource, { id, reference, name, ownerId, archivedAt }: RecordRow): RecordSubject {
  const url = `${pathOf(definition)}/${id}`;
  return { object: definition.type, id, reference, name, ownerId, url, isArchived: archivedAt !== null };
}

type FoundRecord = Omit<RecordSubject, 'url'>;

/** SQL of those of the records of a type that the caller may see, if any; its first parameter is the tenant. */
function selectVisible(resource: Resource, ids: string[], add: (value: unknown) => string): string[] {
  const found = amongReadable(resource, ids, add);
  if (found === null) return [];
  const columns = `t.id, t.reference, t.name, t.owner_id as "ownerId", t.archived_at is not null as "isArchived"`;
  return [`select '${resource.definition.type}' as object, ${columns} ${found}`];
}
