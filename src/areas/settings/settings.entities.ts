import type { EntityClass } from '#libs/database/data-source.js';
import { OauthGrant } from '#libs/members/grant.js';
import { Calendar } from './calendars/calendar.js';
import { ChecklistTemplate } from './checklist-templates/checklist-template.js';
import { CustomField } from './custom-fields/custom-field.js';
import { SavedView } from './saved-views/saved-view.js';
import { Tag } from './tags/tag.js';

export const SETTINGS_ENTITIES: EntityClass[] = [Calendar, ChecklistTemplate, CustomField, OauthGrant, SavedView, Tag];
