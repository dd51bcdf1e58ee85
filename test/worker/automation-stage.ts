import { Automations, type AutomationEvent } from '#libs/automation/automations.js';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import { Database } from '#libs/database/database.js';
import { type Statement, statement } from '#libs/database/statement.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { eventStatement } from '#libs/outbox/event.js';
import { currentScope, currentTenant, runAsSystem } from '#libs/tenancy/scope.js';
import { AutomationWorker } from '#libs/automation/automation-worker.js';
import { JobWorker } from '#libs/jobs/job-worker.js';
import type { TestTenant } from '../harness/platform.js';
import type { Stage } from './stage.js';

type Worker = Awaited<ReturnType<Stage['idleWorker']>>;

export interface RunRow {
  kind: string;
  key: string;
  state: string;
  attempts: number;
  due_at: Date;
  error_code: string | null;
  error_detail: string | null;
}

/** Type of the events that these tests emit; no area defines it. */
export const HAPPENED = 'test.thing.happened';

/** Runs statements for a tenant like the API, in one transaction. */
export async function commit(stage: Stage, tenant: TestTenant, statements: () => Statement[]): Promise<void> {
  const { id, slug } = tenant;
  await runAsSystem({ id, slug, plan: 'enterprise', currency: 'USD', epoch: '1' }, 'test', uuidv7(), () =>
    stage.platform.app.get(Database).transaction(async (transaction) => {
      for (const each of statements()) transaction.write(each);
    }),
  );
}

/** The statement that emits an event in the current scope. */
export function happened(subjectId: string, data: object = {}, type = 'test.thing'): Statement {
  const subject = { type, id: subjectId, reference: null, version: 1, url: '/' };
  return eventStatement(
    currentScope(),
    { type: HAPPENED, schemaVersion: 1, subject, data, changes: null },
    new Date().toISOString(),
  );
}

/** Emits events about these subjects, one after the other. */
export async function emit(stage: Stage, tenant: TestTenant, ...subjectIds: string[]): Promise<void> {
  for (const subjectId of subjectIds) await commit(stage, tenant, () => [happened(subjectId)]);
}

export const set = (stage: Stage, tenant: TestTenant, kind: string, key: string, dueAtMs: number) =>
  commit(stage, tenant, () => [timerStatement({ kind, key, dueAt: new Date(dueAtMs).toISOString() })]);

export const cancel = (stage: Stage, tenant: TestTenant, kind: string, key: string) =>
  commit(stage, tenant, () => [cancelStatement({ kind, key })]);

const COUNT = `insert into data.number_series as s (tenant_id, series, next) values ($1, $2, 1)
  on conflict (tenant_id, series) do update set next = s.next + 1`;

/** An effect that counts its commits: see {@link effects}. Sent immediately. */
export async function affect(worker: Worker, name: string): Promise<void> {
  await worker
    .get(Database)
    .transaction((transaction) => transaction.query(statement(COUNT, [currentTenant().id, name])));
}

/** Number of commits of each effect for a tenant. */
export async function effects(stage: Stage, tenant: TestTenant): Promise<Record<string, number>> {
  const rows = await stage.sql<{ series: string; next: string }>(
    'select series, next from data.number_series where tenant_id = $1 order by series',
    [tenant.id],
  );
  return Object.fromEntries(rows.map(({ series, next }) => [series, Number(next)]));
}

export const runs = (stage: Stage, tenant: TestTenant) =>
  stage.sql<RunRow>('select * from data.automation_runs where tenant_id = $1 order by position, kind, key', [
    tenant.id,
  ]);

/** Cleans up for the workers of the next test. */
export const forgetRuns = (stage: Stage) => stage.sql('delete from data.automation_runs');

/** What automations of tests declare. */
export const onBehalf = { of: 'tenant', because: 'consequence' } as const;

/** Registers a flow for the test events. */
export function flow(worker: Worker, handle: (event: AutomationEvent) => Promise<void>, name = 'test.flow'): void {
  worker.get(Automations).on({ flow: name, event: HAPPENED, onBehalf, handle });
}

/** Runs the flows, timers and jobs of a worker until nothing runnable is left. */
export async function exhaust(worker: Worker): Promise<void> {
  const [automations, jobs] = [worker.get(AutomationWorker), worker.get(JobWorker)];
  for (let found = true; found;) found = (await automations.pass()) !== 'none' || (await jobs.pass()) !== 'none';
}
