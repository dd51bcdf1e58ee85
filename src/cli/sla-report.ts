import { auditStatement } from '#libs/audit/audit-entry.js';
import { CoverageFigures } from '#libs/request-counts/coverage-figures.js';
import { HOURS_KEPT_DAYS } from '#libs/request-counts/request-rollup.js';
import { ServiceFigures } from '#libs/request-counts/service-figures.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { factsOf } from '#libs/auth/tenant-directory.js';
import type { Settings } from '#libs/config/settings.js';
import type { Database } from '#libs/database/database.js';
import type { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { MaintenanceCalendar } from '#libs/maintenance/maintenance-calendar.js';
import { TenantReader } from '#libs/tenants/tenant-reader.js';
import { currentScope, runAsSystem } from '#libs/tenancy/scope.js';
import { SlaMeasurements } from '#src/areas/service-levels/sla-report/sla-measurement.js';
import { SlaMonths, spanOfMonth } from '#src/areas/service-levels/sla-report/sla-months.js';
import { SloCounters } from '#src/areas/service-levels/slo/slo-counters.js';
import { type CommandRun, UsageError } from './command.js';
import { OPERATOR, withDirectory } from './directory-access.js';
import { required, slugOf } from './values.js';

const MAX_REASON = 500;

/** `sla-report correct` */
export const correctReport: CommandRun = async (given, { settings }) => {
  const slug = slugOf(given, 'tenant');
  const month = required(given, 'month');
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month))
    throw new UsageError(`--month must be a month such as 2026-10, not "${month}"`);
  const reason = required(given, 'reason').trim();
  if (reason === '' || reason.length > MAX_REASON)
    throw new UsageError(`--reason must have 1 to ${MAX_REASON} characters`);
  const kept = await withDirectory(settings(), async ({ tenants, database, clock }) => {
    const tenant = await tenants.get(slug);
    const months = monthsOf(database, clock, settings());
    if (!months.isClosed(month)) throw new UsageError(`--month ${month} is not closed yet`);
    if (spanOfMonth(month).toMs <= Date.parse(tenant.createdAt))
      throw new UsageError(`--month ${month} is before the creation of the tenant`);
    if (spanOfMonth(month).fromMs < clock.nowMs() - HOURS_KEPT_DAYS * DAY_MS)
      throw new UsageError(`--month must be within ${HOURS_KEPT_DAYS} days, for which the records are kept`);
    return runAsSystem(factsOf(tenant), OPERATOR, uuidv7(), () =>
      months.correct(month, reason, ({ version, report }) => {
        const fact = {
          action: 'sla_report.corrected',
          target: { type: 'core.tenant', id: tenant.id, name: tenant.name },
          outcome: 'success',
          riskLevel: 'high',
          reason,
          changes: { [month]: { from: version - 1, to: version } },
        } as const;
        return auditStatement(currentScope(), fact, report.asOf);
      }),
    );
  });
  return kept === null
    ? { json: { slug, month, version: null }, text: `The report of ${month} is correct: nothing differs.` }
    : { json: { slug, month, version: kept.version }, text: `The report of ${month} now has version ${kept.version}.` };
};

function monthsOf(database: Database, clock: Clock, settings: Settings): SlaMonths {
  const requests = new ServiceFigures(database);
  const counters = new SloCounters(database, clock, settings);
  const calendar = new MaintenanceCalendar(database);
  const tenants = new TenantReader(database);
  const coverage = new CoverageFigures(database);
  const measurements = new SlaMeasurements(requests, coverage, counters, calendar, tenants, database);
  return new SlaMonths(measurements, tenants, database, clock);
}
