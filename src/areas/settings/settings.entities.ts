import type { EntityClass } from '#libs/database/data-source.js';
import { CustomField } from './custom-fields/custom-field.entity.js';

export const SETTINGS_ENTITIES: EntityClass[] = [CustomField];
