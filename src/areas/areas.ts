import { declarePlainResources } from '#libs/auth/permissions.js';
import { type Area, resourcesOf } from './area.js';
import { access } from './access/access.manifest.js';
import { ai } from './ai/ai.manifest.js';
import { assurance } from './assurance/assurance.manifest.js';
import { auth } from './auth/auth.manifest.js';
import { bootstrap } from './bootstrap/bootstrap.manifest.js';
import { dataExport } from './data-export/data-export.manifest.js';
import { developer } from './developer/developer.manifest.js';
import { discovery } from './discovery/discovery.manifest.js';
import { documents } from './documents/documents.manifest.js';
import { exportsOfLists } from './exports/exports.manifest.js';
import { finance } from './finance/finance.manifest.js';
import { handover } from './handover/handover.manifest.js';
import { hiring } from './hiring/hiring.manifest.js';
import { home } from './home/home.manifest.js';
import { insights } from './insights/insights.manifest.js';
import { integrations } from './integrations/integrations.manifest.js';
import { invitations } from './invitations/invitations.manifest.js';
import { observability } from './observability/observability.manifest.js';
import { operations } from './operations/operations.manifest.js';
import { opsCommand } from './ops-command/ops-command.manifest.js';
import { people } from './people/people.manifest.js';
import { processIntelligence } from './process-intelligence/process-intelligence.manifest.js';
import { proposals } from './proposals/proposals.manifest.js';
import { publicRoutes } from './public/public.manifest.js';
import { reports } from './reports/reports.manifest.js';
import { sales } from './sales/sales.manifest.js';
import { scim } from './scim/scim.manifest.js';
import { serviceLevels } from './service-levels/service-levels.manifest.js';
import { settings } from './settings/settings.manifest.js';
import { setup } from './setup/setup.manifest.js';
import { sharing } from './sharing/sharing.manifest.js';
import { talent } from './talent/talent.manifest.js';
import { timeline } from './timeline/timeline.manifest.js';
import { vault } from './vault/vault.manifest.js';
import { webhooks } from './webhooks/webhooks.manifest.js';
import { work } from './work/work.manifest.js';

/** Every area. Metrics of a group are listed in this order. */
export const AREAS: readonly Area[] = [
  access,
  assurance,
  handover,
  hiring,
  serviceLevels,
  setup,
  sharing,
  vault,
  opsCommand,
  ai,
  auth,
  bootstrap,
  dataExport,
  developer,
  discovery,
  documents,
  exportsOfLists,
  finance,
  insights,
  integrations,
  invitations,
  publicRoutes,
  observability,
  operations,
  processIntelligence,
  proposals,
  reports,
  home,
  people,
  sales,
  scim,
  talent,
  timeline,
  settings,
  webhooks,
  work,
];

declarePlainResources(resourcesOf(AREAS));
