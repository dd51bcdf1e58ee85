import type { EntityClass } from '#libs/database/data-source.js';
import { ADMIN_ENTITIES } from './admin/admin.entities.js';
import { AI_ENTITIES } from './ai/ai.entities.js';
import { FINANCE_ENTITIES } from './finance/finance.entities.js';
import { HOME_ENTITIES } from './home/home.entities.js';
import { OPERATIONS_ENTITIES } from './operations/operations.entities.js';
import { OPS_COMMAND_ENTITIES } from './ops-command/ops-command.entities.js';
import { PEOPLE_ENTITIES } from './people/people.entities.js';
import { REPORTS_ENTITIES } from './reports/reports.entities.js';
import { SALES_ENTITIES } from './sales/sales.entities.js';
import { SETTINGS_ENTITIES } from './settings/settings.entities.js';
import { TALENT_ENTITIES } from './talent/talent.entities.js';
import { TIMELINE_ENTITIES } from './timeline/timeline.entities.js';
import { WEBHOOKS_ENTITIES } from './webhooks/webhooks.entities.js';
import { WORK_ENTITIES } from './work/work.entities.js';

/** Every entity of every area. */
export const ENTITIES: EntityClass[] = [
  ...ADMIN_ENTITIES,
  ...AI_ENTITIES,
  ...FINANCE_ENTITIES,
  ...HOME_ENTITIES,
  ...OPERATIONS_ENTITIES,
  ...OPS_COMMAND_ENTITIES,
  ...PEOPLE_ENTITIES,
  ...REPORTS_ENTITIES,
  ...SALES_ENTITIES,
  ...SETTINGS_ENTITIES,
  ...TALENT_ENTITIES,
  ...TIMELINE_ENTITIES,
  ...WEBHOOKS_ENTITIES,
  ...WORK_ENTITIES,
];
