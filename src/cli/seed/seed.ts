import { auditStatement } from '#libs/audit/audit-entry.js';
import { factsOf } from '#libs/auth/tenant-directory.js';
import { bulkInsert } from '#libs/database/bulk-insert.js';
import type { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { currentScope, currentTenant, runAsSystem } from '#libs/tenancy/scope.js';
import { Deal, deals } from '#src/areas/sales/deals/deal.js';
import { Pipeline } from '#src/areas/sales/pipelines/pipeline.js';
import { refreshStatistics } from '#src/database/refresh-statistics.js';
import { type CommandRun, UsageError } from '../command.js';
import { OPERATOR, withDirectory } from '../directory-access.js';
import { DealMaker } from './seed-deals.js';
import { defaultPipeline } from './seed-pipeline.js';
import { integerOf, slugOf } from '../values.js';

const MOST_DEALS = 1_000_000;
const BATCH_ROWS = 2_000;

/** Reserves a block of any size in the number series; the API continues after it. */
const TAKE_NUMBERS = `insert into data.number_series as s (tenant_id, series, next) values ($1, $2, 1 + $3::bigint)
  on conflict (tenant_id, series) do update set next = s.next + $3::bigint
  returning next - $3::bigint as first`;

/** `seed`: all deals and one audit entry in one transaction; no events. */
export const seed: CommandRun = async (given, context) => {
  const slug = slugOf(given, 'tenant');
  const count = integerOf(given, 'deals', 1, MOST_DEALS);
  if (count === null) throw new UsageError('--deals is missing');
  const settings = context.settings();
  const startedMs = performance.now();
  const { first, last } = await withDirectory(
    settings,
    async ({ database, clock, tenants }, adminUrl) => {
      const tenant = factsOf(await tenants.get(slug));
      const range = await runAsSystem(tenant, OPERATOR, uuidv7(), () => seedDeals(database, clock, count));
      if (adminUrl !== null) await refreshStatistics(adminUrl, settings, 'data.sales_deals');
      return range;
    },
    [Pipeline, Deal],
  );
  const durationMs = Math.round(performance.now() - startedMs);
  return {
    json: { tenant: slug, deals: count, firstReference: first, lastReference: last, events: 0, durationMs },
    text: `Created ${count} deals of the tenant ${slug}, ${first} to ${last}, in ${(durationMs / 1_000).toFixed(1)} s, without events.`,
  };
};

/** Creates the deals for the tenant in scope. @returns their first and last reference. */
async function seedDeals(database: Database, clock: Clock, count: number): Promise<{ first: string; last: string }> {
  const scope = currentScope();
  const { id: tenantId, currency } = currentTenant();
  const pipeline = await defaultPipeline(database, clock);
  // Outside the transaction, because concurrent creations of deals would wait for it.
  const [answer] = await database.aside([statement(TAKE_NUMBERS, [tenantId, deals.type, count])]);
  const firstNumber = answer!.rows[0]!['first'] as number;
  const nowMs = clock.nowMs();
  const { actor } = scope;
  const plan = { tenantId, currency, pipeline, count, firstNumber, referenceOf, nowMs, actor };
  const range = { first: referenceOf(firstNumber), last: referenceOf(firstNumber + count - 1) };
  await database.transaction(async (transaction) => {
    const maker = new DealMaker(plan);
    let rows = maker.batch(BATCH_ROWS);
    while (rows.length > 0) {
      const sent = transaction.query(bulkInsert(database.source, Deal, rows));
      rows = maker.batch(BATCH_ROWS); // generated while PostgreSQL inserts the previous batch
      await sent;
    }
    const fact = {
      action: `${deals.type}.seeded`,
      target: { type: deals.type, id: null, name: null },
      outcome: 'success' as const,
      riskLevel: 'low' as const,
      changes: {
        deals: { from: null, to: count },
        firstReference: { from: null, to: range.first },
        lastReference: { from: null, to: range.last },
      },
    };
    transaction.write(auditStatement(scope, fact, new Date(nowMs).toISOString()));
  });
  return range;
}

function referenceOf(number: number): string {
  return `${deals.prefix}-${String(number).padStart(6, '0')}`;
}
