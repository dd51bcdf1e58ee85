import type { EntityClass } from '#libs/database/data-source.js';
import { Notification } from '#libs/notifications/notification.js';
import { Approval } from '#libs/resource/gates/approval.js';

export const HOME_ENTITIES: EntityClass[] = [Approval, Notification];
