import type { EntityClass } from '#libs/database/data-source.js';
import { ImportRun } from './imports/import.js';
import { ImportFault } from './imports/import-rows.js';

export const INTEGRATIONS_ENTITIES: EntityClass[] = [ImportRun, ImportFault];
