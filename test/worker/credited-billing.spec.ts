import { AutomationWorker } from '#libs/automation/automation-worker.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { act, makeMilestone, makeProject, makeTime, MILESTONES, PROJECTS, TIME } from '../e2e/work/work-calls.js';
import { expectStatus } from '../e2e/finance/payment-calls.js';
import type { TestTenant } from '../harness/platform.js';
import { Stage } from './stage.js';

const INVOICES = '/api/v1/finance/invoices';
const CUSTOMER = { customer: { name: 'Globex' } };

/** What the automatic drafts of a project charge after an invoice was credited, or time was approved late. */
let stage: Stage;
let tenant: TestTenant;
let ada: { api: TestTenant['api'] };
let worker: Awaited<ReturnType<Stage['idleWorker']>>;
beforeAll(async () => {
  stage = await Stage.open();
  worker = await stage.idleWorker();
});
beforeEach(async () => {
  tenant = await stage.platform.tenant();
  ada = await stage.platform.member(tenant, 'Ada');
});
afterAll(() => stage.close());

async function work(): Promise<void> {
  await worker.get(EventRelay).pass();
  for (let round = 0; round < 4; round++) await worker.get(AutomationWorker).pass();
}

async function startedProject(billing: object): Promise<string> {
  const { id } = await makeProject(tenant.api, { billing: { currency: 'USD', invoiceOn: 'completion', ...billing } });
  await act(tenant.api, `${PROJECTS}/${id}`, 'start');
  return id;
}

async function complete(projectId: string): Promise<void> {
  await act(tenant.api, `${PROJECTS}/${projectId}`, 'complete', { force: true });
  await work();
}

async function draftsOf(projectId: string): Promise<{ id: string; totalMinor: number }[]> {
  const path = `${INVOICES}?projectId=${projectId}&status=draft&sort=createdAt`;
  return expectStatus(await tenant.api.get<{ data: { id: string; totalMinor: number }[] }>(path), 200).data;
}

async function issue(id: string): Promise<void> {
  expectStatus(await tenant.api.patch(`${INVOICES}/${id}`, CUSTOMER), 200);
  await act(tenant.api, `${INVOICES}/${id}`, 'issue');
}

const credit = (id: string, more: object = {}) =>
  act(tenant.api, `${INVOICES}/${id}`, 'credit', { reason: 'Wrong customer', ...more });

async function approved(projectId: string, minutes: number): Promise<void> {
  const { id } = await makeTime(ada.api, { projectId, billable: true, minutes });
  await act(ada.api, `${TIME}/${id}`, 'submit');
  await act(tenant.api, `${TIME}/${id}`, 'approve');
}

describe('the rest of a fixed price', () => {
  const fixed = () => startedProject({ model: 'fixed', budgetMinor: 100_000 });
  /** The issued invoice of a milestone of 40,000. */
  const chargedMilestone = async (projectId: string) => {
    const { id } = await makeMilestone(tenant.api, { projectId, billableMinor: 40_000 });
    await act(tenant.api, `${MILESTONES}/${id}`, 'reach');
    await work();
    const [draft] = await draftsOf(projectId);
    await issue(draft!.id);
    return draft!.id;
  };
  const drafted = async (projectId: string) => (await draftsOf(projectId)).map(({ totalMinor }) => totalMinor);

  it('includes a milestone whose invoice was credited in full', async () => {
    const projectId = await fixed();
    await credit(await chargedMilestone(projectId));
    await complete(projectId);
    expect(await drafted(projectId)).toEqual([100_000]);
  });

  it('includes a paid deposit that was credited in full', async () => {
    const projectId = await fixed();
    const lineItems = [{ description: 'Deposit', unitPriceMinor: 30_000, taxPercent: 20 }];
    const { id } = expectStatus(
      await tenant.api.post<{ id: string }>(INVOICES, { ...CUSTOMER, projectId, lineItems }),
      201,
    );
    await issue(id);
    await act(tenant.api, `${INVOICES}/${id}`, 'pay', { method: 'cash' });
    await credit(id);
    await complete(projectId);
    expect(await drafted(projectId)).toEqual([100_000]);
  });

  it('includes the credited part of an invoice', async () => {
    const projectId = await fixed();
    await credit(await chargedMilestone(projectId), { amountMinor: 15_000 });
    await complete(projectId);
    expect(await drafted(projectId)).toEqual([75_000]);
  });

  it('excludes an invoice that was written off', async () => {
    const projectId = await fixed();
    await act(tenant.api, `${INVOICES}/${await chargedMilestone(projectId)}`, 'write-off', { reason: 'Bankrupt' });
    await complete(projectId);
    expect(await drafted(projectId)).toEqual([60_000]);
  });
});

describe('time that is approved after the completion of its project', () => {
  it('is charged on a draft of its own', async () => {
    const projectId = await startedProject({ model: 'time_and_materials', hourlyRateMinor: 6_000 });
    await approved(projectId, 60);
    await complete(projectId);
    await approved(projectId, 30);
    await work();
    await work();
    expect((await draftsOf(projectId)).map(({ totalMinor }) => totalMinor)).toEqual([6_000, 3_000]);
  });

  it('is not charged if the project has a fixed price, or is invoiced manually', async () => {
    for (const billing of [
      { model: 'fixed', budgetMinor: 0, hourlyRateMinor: 6_000 },
      { model: 'time_and_materials', hourlyRateMinor: 6_000, invoiceOn: 'manual' },
    ]) {
      const projectId = await startedProject(billing);
      await complete(projectId);
      await approved(projectId, 30);
      await work();
      expect(await draftsOf(projectId)).toEqual([]);
    }
  });
});
