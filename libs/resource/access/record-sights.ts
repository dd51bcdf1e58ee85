import { Injectable } from '@nestjs/common';
import { ANY_OBJECT } from '#libs/auth/current-principal.js';
import { isObject } from '#libs/kernel/is-object.js';
import { Problem } from '#libs/kernel/problem.js';
import { type AskedAnswer, Sights } from '#libs/http/idempotency/replays.js';
import { ResourceRegistry } from '../resource-registry.js';

/** A record in a request's path or in its response. */
interface Seen {
  /** Type key, e.g. `sales.deal`, or the parameter that names it. */
  type: string;
  id: string;
  /** The permission that the request used on it; null if the record is only shown. */
  permission: string | null;
  /** Fields of it that were shown. */
  fields: readonly string[];
}

/** Checks whether the caller may see the object with an id; throws a 404 or a 403 if not. */
type Look = (id: string) => Promise<unknown>;

/** Checks whether callers may still see records that a stored response shows them. Uses the service of each type. */
@Injectable()
export class RecordSights implements Sights {
  private readonly looks = new Map<string, Look>();

  constructor(private readonly registry: ResourceRegistry) {}

  /** Registers a type that is not a resource, or a path parameter such as `:workspaceId`. */
  add(what: string, look: Look): void {
    this.looks.set(what, look);
  }

  async areOpen({ path, params, permission, object, answer }: AskedAnswer): Promise<boolean> {
    const isUsedOn = (type: string): boolean => [undefined, ANY_OBJECT, type].includes(object);
    const used = (type: string) => (permission !== 'any' && isUsedOn(type) ? permission : null);
    const about = this.recordsOf(path, params).map(({ type, id }) => ({
      type,
      id,
      fields: [],
      permission: used(type),
    }));
    const own = new Set([object, ...about.map(({ type }) => type)]);
    const shown = recordsIn(answer).map((each) => ({
      ...each,
      permission: own.has(each.type) ? used(each.type) : null,
    }));
    for (const each of [...about, ...shown]) if (!(await this.isOpen(each))) return false;
    return true;
  }

  /** The records in a path. */
  private recordsOf(path: string, params: AskedAnswer['params']): Pick<Seen, 'type' | 'id'>[] {
    return Object.entries(params).flatMap(([name, id]) => {
      const collection = path.slice(0, Math.max(0, path.indexOf(`/${id}`)));
      const type = name === 'id' ? this.registry.atPath(collection)?.definition.type : `:${name}`;
      return type === undefined ? [] : [{ type, id }];
    });
  }

  private async isOpen({ type, id, permission, fields }: Seen): Promise<boolean> {
    const resource = this.registry.ofType(type);
    if (resource) return resource.service.isOpen(id, permission, fields);
    try {
      await this.looks.get(type)?.(id);
      return true;
    } catch (error) {
      if (error instanceof Problem && (error.status === 404 || error.status === 403)) return false;
      throw error;
    }
  }
}

/**
 * The records in a response, at any depth: objects with type, id and version, and references to the parent record
 * (`record`, or `object` and `objectId`).
 */
function recordsIn(value: unknown, name = ''): Omit<Seen, 'permission'>[] {
  if (Array.isArray(value)) return value.flatMap((each) => recordsIn(each, name));
  if (!isObject(value)) return [];
  const { object: type, id, objectId } = value;
  const inside = Object.entries(value).flatMap(([member, each]) => recordsIn(each, member));
  if (typeof type !== 'string') return inside;
  if (typeof objectId === 'string') return [{ type, id: objectId, fields: [] }, ...inside];
  if (typeof id !== 'string') return inside;
  if ('version' in value) return [{ type, id, fields: Object.keys(value) }, ...inside];
  return name === 'record' ? [{ type, id, fields: [] }, ...inside] : inside;
}
