import type { EntityClass } from '#libs/database/data-source.js';
import { Attachment } from './attachments/attachment.entity.js';
import { Comment } from './comments/comment.entity.js';
import { RecordLink } from './links/record-link.entity.js';
import { Watcher } from './watchers/watcher.entity.js';

export const TIMELINE_ENTITIES: EntityClass[] = [Attachment, Comment, RecordLink, Watcher];
