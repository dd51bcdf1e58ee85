import type { EntityClass } from '#libs/database/data-source.js';
import { OauthGrant } from '#libs/members/grant.js';
import { ApiKey } from './api-keys/api-key.js';
import { Calendar } from './calendars/calendar.js';
import { CustomField } from './custom-fields/custom-field.js';

export const SETTINGS_ENTITIES: EntityClass[] = [ApiKey, Calendar, CustomField, OauthGrant];
