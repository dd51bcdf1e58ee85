import type { EntityClass } from '#libs/database/data-source.js';
import { roomsOf } from './area.js';
import { AREAS } from './areas.js';

const rooms = await roomsOf(AREAS);
const others = await Promise.all(AREAS.map(async ({ entities }) => entities?.() ?? []));

/** Every entity of every area. */
export const ENTITIES: EntityClass[] = [...rooms.map(({ type }) => type.entity), ...others.flat()];
