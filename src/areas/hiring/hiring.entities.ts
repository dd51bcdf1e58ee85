import type { EntityClass } from '#libs/database/data-source.js';
import { Mapping } from './talent-mapping/mapping.js';
import { MappingTemplate } from './talent-mapping/mapping-template.js';

export const HIRING_ENTITIES: EntityClass[] = [Mapping, MappingTemplate];
