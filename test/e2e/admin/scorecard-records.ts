import { DataSource } from 'typeorm';
import { uuidv7 } from '#libs/kernel/id.js';
import { MetricCatalogue } from '#libs/measures/metric-catalogue.js';
import { asAdmin } from '../../harness/database.js';
import type { TestPlatform, TestTenant } from '../../harness/platform.js';
import { FAILED, makeJob, parkJob } from '../ai/job-calls.js';
import { issuedInvoice } from '../finance/payment-calls.js';
import { acted, dayFrom, EMPLOYEES, made, makeEmployee, TIME_OFF } from '../people/people-calls.js';
import { act as actOnDeal, DEALS, makeDeal } from '../sales/deal-calls.js';
import { LEADS, makeAccount, makeLead } from '../sales/sales-calls.js';
import {
  acceptedOffer,
  act,
  APPLICATIONS,
  makeApplication,
  makeCandidate,
  makeOffer,
  OFFERS,
  openJob,
} from '../talent/talent-calls.js';
import { CYCLES, makeCycle, makeProject, makeTask, makeTime, PROJECTS, TASKS } from '../work/work-calls.js';

/** Enough for the default of `scorecards.minSample`. */
const FEW = [0, 1, 2, 3, 4];

/** A tenant to create records in. */
export interface Scene {
  platform: TestPlatform;
  tenant: TestTenant;
  /** Workspace of the records that can be in one. */
  workspaceId: string | null;
}

const sql = ({ platform }: Scene, text: string, values: unknown[]) => asAdmin(platform.database, text, values);
const inDays = ({ platform }: Scene, days: number) => dayFrom(platform.clock.nowMs(), days);

/** Creates records of each list that the metrics count, so that every metric has at least five. */
export const MAKERS: Record<string, (scene: Scene) => Promise<void>> = {
  async 'sales.deal'(scene) {
    const { api } = scene.tenant;
    const { workspaceId } = scene;
    const open = { expectedCloseDate: inDays(scene, 0), workspaceId };
    for (const i of FEW) {
      await makeDeal(api, { ...open, valueMinor: 10_001 + i, currency: 'USD', probability: 33 });
      const won = await makeDeal(api, { valueMinor: 50_000 + i, currency: 'USD', workspaceId });
      await actOnDeal(api, won.id, 'win');
      if (i === 0) await actOnDeal(api, won.id, 'archive');
      const lost = await makeDeal(api, { valueMinor: 70_000, workspaceId });
      await actOnDeal(api, lost.id, 'lose', { lostReason: 'price' });
    }
    await makeDeal(api, { ...open, valueMinor: 333, currency: 'EUR' });
    const other = await makeDeal(api, { valueMinor: 999, currency: 'JPY', workspaceId });
    await actOnDeal(api, other.id, 'win');
    await api.delete(`${DEALS}/${(await makeDeal(api, open)).id}`);
  },
  async 'sales.lead'({ tenant: { api }, workspaceId }) {
    for (const i of FEW) {
      const { id } = await makeLead(api, { workspaceId });
      if (i < 2) await act(api, `${LEADS}/${id}`, 'convert', {});
    }
  },
  async 'sales.account'(scene) {
    for (const _ of FEW) await makeAccount(scene.tenant.api, { workspaceId: scene.workspaceId });
    await sql(scene, `update data.sales_accounts set lifecycle = 'active' where tenant_id = $1`, [scene.tenant.id]);
  },
  async 'finance.invoice'(scene) {
    const { api } = scene.tenant;
    const { workspaceId } = scene;
    for (const i of FEW) {
      await issuedInvoice(api, 1_000 + i, { workspaceId });
      await issuedInvoice(api, 2_000 + i, { workspaceId, issueDate: inDays(scene, -9), dueDate: inDays(scene, -2) });
      const { id } = await issuedInvoice(api, 3_000 + i, { workspaceId, issueDate: inDays(scene, -i) });
      await act(api, `/api/v1/finance/invoices/${id}`, 'pay', {});
    }
  },
  async 'finance.payment'({ tenant: { api }, workspaceId }) {
    for (const i of FEW)
      await made(api, '/api/v1/finance/payments', { amountMinor: 500 + i, status: 'succeeded', workspaceId });
  },
  async 'work.project'(scene) {
    const { api } = scene.tenant;
    const { workspaceId } = scene;
    for (const i of FEW) {
      const targetDate = inDays(scene, i === 0 ? -1 : 3);
      const { id } = await makeProject(api, { targetDate, billing: { budgetMinutes: 60 }, workspaceId });
      if (i < 2) await makeTime(api, { projectId: id, minutes: 90, membershipId: await memberOf(scene) });
      await act(api, `${PROJECTS}/${id}`, 'start');
      await act(api, `${PROJECTS}/${id}`, 'complete');
      const late = await makeProject(api, { targetDate: inDays(scene, -30), workspaceId });
      await act(api, `${PROJECTS}/${late.id}`, 'start');
    }
    const billing = { model: 'retainer', budgetMinutes: 60 }; // of a month
    const retained = await makeProject(api, { billing, workspaceId });
    await makeTime(api, { projectId: retained.id, minutes: 90, membershipId: await memberOf(scene) });
    await act(api, `${PROJECTS}/${retained.id}`, 'start');
    await act(api, `${PROJECTS}/${retained.id}`, 'complete');
  },
  async 'work.task'(scene) {
    const { api } = scene.tenant;
    const { workspaceId } = scene;
    const project = await makeProject(api, { workspaceId });
    for (const i of FEW) {
      // Half of the tasks are in the workspace only by their project.
      const place = i % 2 === 0 ? { projectId: project.id } : { workspaceId };
      await makeTask(api, { dueDate: inDays(scene, -3), ...place });
      const { id } = await makeTask(api, place);
      await act(api, `${TASKS}/${id}`, 'complete', {});
    }
  },
  async 'work.cycle'(scene) {
    const { api } = scene.tenant;
    for (const i of FEW) {
      const { id: projectId } = await makeProject(api, { workspaceId: scene.workspaceId });
      const { id } = await makeCycle(api, { projectId, startDate: inDays(scene, 0), endDate: inDays(scene, 7) });
      await act(api, `${CYCLES}/${id}`, 'start');
      for (let n = 0; n <= i; n++) {
        const task = await makeTask(api, { projectId, cycleId: id });
        if (n % 2 === 0) await act(api, `${TASKS}/${task.id}`, 'complete', {});
      }
      await act(api, `${CYCLES}/${id}`, 'close');
    }
  },
  async 'work.time_entry'(scene) {
    const membershipId = await memberOf(scene);
    for (const i of FEW)
      await makeTime(scene.tenant.api, {
        membershipId,
        minutes: 20 + i,
        billable: i < 2,
        workspaceId: scene.workspaceId,
      });
  },
  async 'people.employee'(scene) {
    const { api } = scene.tenant;
    const { workspaceId } = scene;
    for (const _ of FEW) {
      await makeEmployee(api, { startDate: inDays(scene, 0), workspaceId });
      const { id } = await makeEmployee(api, { startDate: inDays(scene, -500), workspaceId });
      await acted(api, EMPLOYEES, id, 'terminate', { type: 'voluntary', reason: 'Moves away' });
    }
  },
  async 'people.time_off'(scene) {
    const { api } = scene.tenant;
    for (const i of FEW) {
      const employee = await makeEmployee(api, { startDate: inDays(scene, -400), workspaceId: scene.workspaceId });
      const days = { startDate: inDays(scene, 0), endDate: inDays(scene, 3 + i) };
      const { id } = await made(api, TIME_OFF, { employeeId: employee.id, type: 'sick', ...days });
      await acted(api, TIME_OFF, id, 'approve');
    }
  },
  async 'talent.application'({ tenant: { api }, workspaceId }) {
    const job = await openJob(api, { openings: 50, workspaceId });
    for (const i of FEW) {
      const ada = await makeCandidate(api, { workspaceId });
      const hired = await makeApplication(api, ada.id, { jobId: job.id });
      if (i < 4) await acceptedOffer(api, hired.id);
      else await act(api, `${OFFERS}/${await sentOffer(api, hired.id)}`, 'decline');
      await act(api, `${APPLICATIONS}/${hired.id}`, 'hire', { startDate: '2099-01-04', force: true });
      const bob = await makeCandidate(api, { workspaceId });
      await makeApplication(api, bob.id, { jobId: job.id });
    }
  },
  async 'talent.job'({ tenant: { api }, workspaceId }) {
    for (const _ of FEW) await openJob(api, { workspaceId });
  },
  async 'webhooks.delivery'(scene) {
    const target = { url: 'http://127.0.0.1:9/orders', eventTypes: ['sales.deal.created'] };
    const endpoint = await made(scene.tenant.api, '/api/webhooks/endpoints', target);
    const status = ['delivered', 'exhausted'];
    for (const i of [...FEW, ...FEW.map((each) => each + 5)])
      await sql(
        scene,
        `insert into data.webhook_deliveries (tenant_id, id, event_id, endpoint_id, event_type, schema_version,
           payload_mode, subject_type, subject_id, sequence, status, created_at, delivered_at)
         values ($1, $2, $2, $7, 'sales.deal.created', 1, 'full', 'sales.deal', $6, $3, $4, now(), $5)`,
        [scene.tenant.id, uuidv7(), i + 1, status[i % 2], i % 2 === 0 ? new Date() : null, '*', endpoint.id],
      );
  },
  async 'core.membership'({ platform, tenant, workspaceId }) {
    const workspaces = workspaceId === null ? {} : { workspaces: { [workspaceId]: 'member' as const } };
    for (const _ of FEW) {
      await platform.member(tenant, 'An owner', ['*'], { roles: ['owner'], ...workspaces });
      await platform.member(tenant, 'A viewer', ['*'], { roles: ['viewer'], ...workspaces });
    }
  },
  async 'intelligence.job'(scene) {
    const { tenant } = scene;
    const proposals = JSON.stringify([{ status: 'applied' }, { status: 'rejected' }]);
    for (const i of FEW) {
      await parkJob(tenant.api);
      for (const status of ['succeeded', ...(i === 0 ? ['failed'] : [])]) {
        const { id } = await makeJob(tenant.api);
        await sql(
          scene,
          `update data.ai_jobs set status = $3, finished_at = now(), error = case $3 when 'failed' then $5::jsonb end,
             proposed_actions = case $3 when 'succeeded' then $4::jsonb else '[]' end where tenant_id = $1 and id = $2`,
          [tenant.id, id, status, proposals, JSON.stringify(FAILED.error)],
        );
      }
    }
  },
  async 'ai.budget'(scene) {
    for (const i of FEW) {
      const { id } = await scene.platform.member(scene.tenant, 'A spender');
      const scope = { type: 'member', id };
      await made(scene.tenant.api, '/api/ai/budgets', { scope, period: 'month', limitMicros: 1_000_000 + i });
    }
  },
};

/** Moves the records of a tenant at random: between workspaces and none, to an owner or none, and to the archive. */
export async function scatter(
  scene: Scene,
  { workspaceIds, ownerId, seed }: { workspaceIds: readonly string[]; ownerId: string; seed: number },
): Promise<void> {
  const source = scene.platform.app.get(DataSource);
  const tables = new Set(
    scene.platform.app
      .get(MetricCatalogue)
      .all()
      .map((metric) => source.getMetadata(metric.source.entity))
      .filter(({ propertiesMap }) => 'workspaceId' in propertiesMap)
      .map(({ tablePath }) => tablePath),
  );
  for (const table of tables)
    await sql(scene, scattering(table, !NEVER_ARCHIVED.has(table)), [scene.tenant.id, workspaceIds, ownerId, seed]);
}

const NEVER_ARCHIVED: ReadonlySet<string> = new Set(['data.finance_invoices', 'data.ai_jobs']);
const chance = (what: string) => `abs(hashtext(t.id::text || '${what}' || $4::int))`;

function scattering(table: string, archives: boolean): string {
  return `update ${table} t set workspace_id = ($2::uuid[])[1 + ${chance('place')} % (cardinality($2::uuid[]) + 1)],
      owner_id = case when ${chance('owner')} % 2 = 0 then $3::uuid end
      ${archives ? `, archived_at = case when ${chance('archive')} % 4 = 0 then now() end` : ''}
    where tenant_id = $1 and deleted_at is null`;
}

async function memberOf({ platform, tenant }: Scene): Promise<string> {
  return (await platform.member(tenant, 'A worker')).id;
}

async function sentOffer(api: TestTenant['api'], applicationId: string): Promise<string> {
  const { id } = await makeOffer(api, applicationId);
  for (const action of ['submit', 'approve', 'send']) await act(api, `${OFFERS}/${id}`, action);
  return id;
}
