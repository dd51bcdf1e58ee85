import type { Type } from '@nestjs/common';
import type { EntityClass } from '#libs/database/data-source.js';
import type { WorkerPart } from '#libs/worker/worker-part.js';

/** What an area consists of. Code is named by functions that load it, so that each process loads only what it runs. */
export interface Area {
  name: string;
  /** Descriptions of its groups of operations, by tag. */
  tags?: Readonly<Record<string, string>>;
  entities?: () => Promise<readonly EntityClass[]>;
  /** The module with its routes, for the API. */
  routes: () => Promise<Type>;
  /** Modules with flows, timers and metrics, for the worker. */
  records?: readonly (() => Promise<Type>)[];
  /** Modules whose work the worker starts. */
  background?: readonly (() => Promise<Type<WorkerPart>>)[];
}

/** Declares an area in its `<area>.manifest.ts`. */
export function area<const A extends Area>(declared: A): A {
  return declared;
}
