import type { EntityClass } from '#libs/database/data-source.js';
import { Approval } from '#libs/resource/gates/approval.js';

export const HOME_ENTITIES: EntityClass[] = [Approval];
