import type { EntityClass } from '#libs/database/data-source.js';
import { PublicLink } from './public-links/public-link.js';

export const SHARING_ENTITIES: EntityClass[] = [PublicLink];
