import type { EntityClass } from '#libs/database/data-source.js';
import { Handoff } from './sales-handoff/handoff.js';
import { HandoffTemplate } from './sales-handoff/handoff-template.js';

export const HANDOVER_ENTITIES: EntityClass[] = [Handoff, HandoffTemplate];
