import type { DynamicModule, Type } from '@nestjs/common';
import type { EntityClass } from '#libs/database/data-source.js';
import type { RecordVerbs } from '#libs/resource/routes/resource.controller.js';
import type { ResourceDefinition } from '#libs/resource/types/definition.js';
import type { WorkerPart } from '#libs/worker/worker-part.js';

/** A record type with its service, which no other service needs. */
export interface Room {
  type: ResourceDefinition;
  service: Type<{ records: RecordVerbs }>;
}

/** A type that the manifest adds to each process: its service everywhere, its routes to the API, its entity, its tag. */
export interface PlainType {
  /** In the names of its permissions, if they are those to delete, read and write. */
  resource?: string;
  tag: string;
  /** Description of its operations. */
  about: string;
  room: () => Promise<Room>;
}

/** What an area consists of. Code is named by functions that load it, so that each process loads only what it runs. */
export interface Area {
  name: string;
  /** Types that stand alone; all others are provided by the modules below. */
  types?: readonly PlainType[];
  /** Descriptions of its other groups of operations, by tag. */
  tags?: Readonly<Record<string, string>>;
  /** Entities of its other types. */
  entities?: () => Promise<readonly EntityClass[]>;
  /** The module with its other routes, for the API. */
  routes?: () => Promise<Type>;
  /** Modules with flows, timers and metrics, for the worker. */
  records?: readonly (() => Promise<Type>)[];
  /** Modules whose work the worker starts. */
  background?: readonly (() => Promise<Type<WorkerPart>>)[];
}

/** Declares an area in its `<area>.manifest.ts`. */
export function area<const A extends Area>(declared: A): A {
  return declared;
}

/** Loads the rooms of some areas, in order. */
export function roomsOf(areas: readonly Area[]): Promise<Room[]> {
  return Promise.all(areas.flatMap(({ types = [] }) => types.map(({ room }) => room())));
}

/** The resources of plain types with permissions to delete, read and write. */
export function resourcesOf(areas: readonly Area[]): string[] {
  return areas.flatMap(({ types = [] }) => types.flatMap(({ resource }) => resource ?? []));
}

/** A module for a room, for one process. */
export function moduleOf({ service }: Room, controllers: Type[] = []): DynamicModule {
  return { module: class RoomModule {}, providers: [service], controllers };
}
