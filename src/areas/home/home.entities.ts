import type { EntityClass } from '#libs/database/data-source.js';
import { Approval } from './approvals/approval.entity.js';

export const HOME_ENTITIES: EntityClass[] = [Approval];
