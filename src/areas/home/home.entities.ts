import type { EntityClass } from '#libs/database/data-source.js';
import { Notification } from '#libs/notifications/notification.js';
import { Approval } from '#libs/resource/gates/approval.js';
import { Announcement } from './announcements/announcement.js';
import { HomePage } from './pages/home-page.js';

export const HOME_ENTITIES: EntityClass[] = [Announcement, Approval, HomePage, Notification];
