import type { EntityClass } from '#libs/database/data-source.js';
import { AREAS } from './areas.js';

/** Every entity of every area. */
export const ENTITIES: EntityClass[] = (
  await Promise.all(AREAS.map(async ({ entities }) => entities?.() ?? []))
).flat();
