import type { EntityClass } from '#libs/database/data-source.js';
import { ACCESS_ENTITIES } from './access/access.entities.js';
import { AI_ENTITIES } from './ai/ai.entities.js';
import { ASSURANCE_ENTITIES } from './assurance/assurance.entities.js';
import { FINANCE_ENTITIES } from './finance/finance.entities.js';
import { HANDOVER_ENTITIES } from './handover/handover.entities.js';
import { HIRING_ENTITIES } from './hiring/hiring.entities.js';
import { HOME_ENTITIES } from './home/home.entities.js';
import { OPERATIONS_ENTITIES } from './operations/operations.entities.js';
import { OPS_COMMAND_ENTITIES } from './ops-command/ops-command.entities.js';
import { PEOPLE_ENTITIES } from './people/people.entities.js';
import { REPORTS_ENTITIES } from './reports/reports.entities.js';
import { SALES_ENTITIES } from './sales/sales.entities.js';
import { SETTINGS_ENTITIES } from './settings/settings.entities.js';
import { SETUP_ENTITIES } from './setup/setup.entities.js';
import { SHARING_ENTITIES } from './sharing/sharing.entities.js';
import { TALENT_ENTITIES } from './talent/talent.entities.js';
import { TIMELINE_ENTITIES } from './timeline/timeline.entities.js';
import { VAULT_ENTITIES } from './vault/vault.entities.js';
import { WEBHOOKS_ENTITIES } from './webhooks/webhooks.entities.js';
import { WORK_ENTITIES } from './work/work.entities.js';

/** Every entity of every area. */
export const ENTITIES: EntityClass[] = [
  ...ACCESS_ENTITIES,
  ...AI_ENTITIES,
  ...ASSURANCE_ENTITIES,
  ...FINANCE_ENTITIES,
  ...HANDOVER_ENTITIES,
  ...HIRING_ENTITIES,
  ...HOME_ENTITIES,
  ...OPERATIONS_ENTITIES,
  ...OPS_COMMAND_ENTITIES,
  ...PEOPLE_ENTITIES,
  ...REPORTS_ENTITIES,
  ...SALES_ENTITIES,
  ...SETTINGS_ENTITIES,
  ...SETUP_ENTITIES,
  ...SHARING_ENTITIES,
  ...TALENT_ENTITIES,
  ...TIMELINE_ENTITIES,
  ...VAULT_ENTITIES,
  ...WEBHOOKS_ENTITIES,
  ...WORK_ENTITIES,
];
