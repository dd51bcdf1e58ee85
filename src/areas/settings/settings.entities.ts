import type { EntityClass } from '#libs/database/data-source.js';
import { ApiKey } from './api-keys/api-key.js';
import { PublicLink } from './public-links/public-link.js';
import { SavedView } from './saved-views/saved-view.js';
import { Tag } from './tags/tag.js';
import { CustomField } from './custom-fields/custom-field.js';

export const SETTINGS_ENTITIES: EntityClass[] = [ApiKey, CustomField, PublicLink, SavedView, Tag];
