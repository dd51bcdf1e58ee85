import { auditStatement } from '#libs/audit/audit-entry.js';
import { factsOf } from '#libs/auth/tenant-directory.js';
import { statement } from '#libs/database/statement.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { currentScope, runAsSystem } from '#libs/tenancy/scope.js';
import { COMMITTED_METRICS } from '#src/areas/service-levels/sla-report/commitments.js';
import { type CommandRun, UsageError } from '../command.js';
import { OPERATOR, withDirectory } from '../directory-access.js';
import { required, slugOf } from '../values.js';

const LOCK = `select target_millis as target from directory.tenant_commitments where tenant_id = $1 and metric = $2 for update`;
const SAVE = `insert into directory.tenant_commitments (tenant_id, metric, target_millis) values ($1, $2, $3)
  on conflict (tenant_id, metric) do update set target_millis = excluded.target_millis`;

/** `tenant set-commitment` */
export const setCommitment: CommandRun = async (given, { settings }) => {
  const slug = slugOf(given, 'tenant');
  const metric = required(given, 'metric');
  if (!(COMMITTED_METRICS as readonly string[]).includes(metric))
    throw new UsageError(`--metric must be one of ${COMMITTED_METRICS.join(', ')}, not "${metric}"`);
  const text = required(given, 'target');
  const target = Number(text);
  if (!/^\d{1,3}(\.\d{1,3})?$/.test(text) || target <= 0 || target > 100)
    throw new UsageError(`--target must be a percentage such as 99.95, not "${text}"`);
  await withDirectory(settings(), async ({ tenants, database, clock }) => {
    const tenant = await tenants.get(slug);
    await runAsSystem(factsOf(tenant), OPERATOR, uuidv7(), () =>
      database.transaction(async (transaction) => {
        const [before] = await transaction.query<{ target: number }>(statement(LOCK, [tenant.id, metric]));
        transaction.write(statement(SAVE, [tenant.id, metric, Math.round(target * 1_000)]));
        const fact = {
          action: 'core.tenant.commitment_changed',
          target: { type: 'core.tenant', id: tenant.id, name: tenant.name },
          outcome: 'success',
          riskLevel: 'medium',
          changes: { [metric]: { from: before ? before.target / 1_000 : null, to: target } },
        } as const;
        transaction.write(auditStatement(currentScope(), fact, clock.now().toISOString()));
      }),
    );
  });
  return { json: { slug, metric, target }, text: `The target of ${metric} for the tenant ${slug} is ${target} %.` };
};
