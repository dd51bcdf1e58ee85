import type { EntityClass } from '#libs/database/data-source.js';
import { OauthGrant } from '#libs/members/grant.js';
import { ApiKey } from './api-keys/api-key.js';
import { Calendar } from './calendars/calendar.js';
import { ChecklistTemplate } from './checklist-templates/checklist-template.js';
import { CustomField } from './custom-fields/custom-field.js';
import { PublicLink } from './public-links/public-link.js';
import { SavedView } from './saved-views/saved-view.js';
import { Tag } from './tags/tag.js';

export const SETTINGS_ENTITIES: EntityClass[] = [
  ApiKey,
  Calendar,
  ChecklistTemplate,
  CustomField,
  OauthGrant,
  PublicLink,
  SavedView,
  Tag,
];
