import type { EntityClass } from '#libs/database/data-source.js';
import { Secret } from './secrets/secret.js';

export const VAULT_ENTITIES: EntityClass[] = [Secret];
