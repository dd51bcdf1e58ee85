import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { AutomationWorker } from '#libs/automation/automation-worker.js';
import type { TestTenant } from '../harness/platform.js';
import { Stage } from './stage.js';

let stage: Stage;
let tenant: TestTenant;
let workers: Awaited<ReturnType<Stage['idleWorker']>>[];
beforeAll(async () => {
  stage = await Stage.open();
  workers = [await stage.idleWorker(), await stage.idleWorker()];
});
beforeEach(async () => {
  tenant = await stage.platform.tenant();
});
afterAll(() => stage.close());

type Row = { id: string } & Record<string, unknown>;

async function make(path: string, body: object): Promise<Row> {
  const answer = await tenant.api.post<Row>(`/api/v1/${path}`, body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

const project = (more: object = {}) =>
  make('work/projects', { name: 'Relaunch', billing: { model: 'fixed', currency: 'EUR' }, ...more });

/** Reaches a milestone and lets both workers process it. */
async function reach(projectId: string, name: string, billableMinor: number | null): Promise<Row> {
  const milestone = await make('work/milestones', { name, projectId, billableMinor });
  const answer = await tenant.api.post(`/api/v1/work/milestones/${milestone.id}/reach`);
  if (answer.status !== 200) throw new Error(answer.text);
  await work();
  return milestone;
}

/** Relays the events and runs the flows in both workers concurrently until nothing is left. */
async function work(): Promise<void> {
  await workers[0]!.get(EventRelay).pass();
  for (let round = 0; round < 5; round++) await Promise.all(workers.map((each) => each.get(AutomationWorker).pass()));
}

async function invoices(projectId: string): Promise<(Row & { lineItems: Row[] })[]> {
  const { body } = await tenant.api.get<{ data: (Row & { lineItems: Row[] })[] }>(
    `/api/v1/finance/invoices?projectId=${projectId}&sort=createdAt`,
  );
  return body.data;
}

describe('a billable milestone that is reached', () => {
  it('adds a line to a new draft of the project in its currency, by automation', async () => {
    const { id } = await project();
    const milestone = await reach(id, 'Design', 400_000);
    const drafts = await invoices(id);
    expect(drafts).toMatchObject([
      {
        status: 'draft',
        currency: 'EUR',
        totalMinor: 400_000,
        createdBy: { type: 'automation', name: 'finance.line_on_milestone_reached' },
        lineItems: [
          { description: 'Design', netMinor: 400_000, source: { object: 'work.milestone', id: milestone.id } },
        ],
      },
    ]);
  });

  it('is added to the existing draft of the project, and to a new one after that was issued', async () => {
    const { id } = await project();
    await reach(id, 'Design', 400_000);
    await reach(id, 'Build', 600_000);
    const [draft] = await invoices(id);
    expect(draft).toMatchObject({
      totalMinor: 1_000_000,
      lineItems: [{ description: 'Design' }, { description: 'Build' }],
    });
    const path = `/api/v1/finance/invoices/${draft!.id}`;
    await tenant.api.patch(path, { customer: { name: 'Globex' }, exchange: { rate: '1.1' } });
    expect(await tenant.api.post(`${path}/issue`)).toMatchObject({ status: 200 });
    await reach(id, 'Launch', 50_000);
    expect(await invoices(id)).toMatchObject([
      { status: 'issued', totalMinor: 1_000_000 },
      { status: 'draft', totalMinor: 50_000 },
    ]);
  });

  it('is charged once, however often its event is processed, and not if it was charged manually', async () => {
    const { id } = await project();
    const milestone = await reach(id, 'Design', 400_000);
    await stage.sql(`update data.automation_runs set state = 'ready', finished_at = null where subject_id = $1`, [
      milestone.id,
    ]);
    await work();
    expect(await invoices(id)).toMatchObject([{ totalMinor: 400_000 }]);
    const second = await make('work/milestones', { name: 'Build', projectId: id, billableMinor: 1_000 });
    const source = { object: 'work.milestone', id: second.id };
    const lineItems = [{ description: 'By hand', unitPriceMinor: 1_000, source }];
    const byHand = await make('finance/invoices', { name: 'By hand', currency: 'EUR', lineItems });
    await tenant.api.post(`/api/v1/work/milestones/${second.id}/reach`);
    await work();
    expect(
      await stage.sql(`select error_code from data.automation_runs where state <> 'done' and kind like '%milestone%'`),
    ).toEqual([]);
    expect(await invoices(id)).toMatchObject([{ totalMinor: 400_000 }]);
    expect(byHand).toMatchObject({ totalMinor: 1_000 });
  });

  it('is not charged automatically with manual invoicing or without an amount', async () => {
    const manual = await project({ billing: { model: 'fixed', invoiceOn: 'manual' } });
    await reach(manual.id, 'Design', 400_000);
    const free = await project();
    await reach(free.id, 'Kickoff', null);
    expect([await invoices(manual.id), await invoices(free.id)]).toEqual([[], []]);
  });
});
