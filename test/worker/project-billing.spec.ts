import { HOUR_MS } from '#libs/kernel/durations.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { AutomationWorker } from '#libs/automation/automation-worker.js';
import { firstDayOf, type Month, monthOf, nextMonth } from '#src/areas/finance/billing/months.js';
import type { ShownTimeEntry } from '#src/areas/work/time-entries/time-entry.js';
import { act, makeMilestone, makeProject, makeTime, MILESTONES, PROJECTS, TIME } from '../e2e/work/work-calls.js';
import type { TestTenant } from '../harness/platform.js';
import { Stage } from './stage.js';

const INVOICES = '/api/v1/finance/invoices';

let stage: Stage;
let tenant: TestTenant;
let ada: { api: TestTenant['api'] };
let workers: Awaited<ReturnType<Stage['idleWorker']>>[];
beforeAll(async () => {
  stage = await Stage.open();
  workers = [await stage.idleWorker(), await stage.idleWorker()];
});
beforeEach(async () => {
  tenant = await stage.platform.tenant();
  ada = await stage.platform.member(tenant, 'Ada');
});
afterAll(() => stage.close());

interface Invoice {
  id: string;
  status: string;
  name: string;
  currency: string;
  totalMinor: number;
  lineItems: { netMinor: number; description: string; source: { id: string } | null }[];
}

/** Relays the events and runs flows and timers in both workers concurrently. */
async function work(): Promise<void> {
  await workers[0]!.get(EventRelay).pass();
  for (let round = 0; round < 6; round++) await Promise.all(workers.map((each) => each.get(AutomationWorker).pass()));
}

const today = () => new Date(stage.platform.clock.nowMs()).toISOString().slice(0, 10);
const thisMonth = () => monthOf(today());

/** Moves the clock to the beginning of a month in UTC, and some hours more. */
function goTo(month: Month, hours = 1): void {
  stage.platform.clock.advance(
    Date.parse(`${firstDayOf(month)}T00:00:00Z`) + hours * HOUR_MS - stage.platform.clock.nowMs(),
  );
}

const hourly = (invoiceOn: string) => ({
  name: 'Relaunch',
  billing: { model: 'time_and_materials', currency: 'EUR', hourlyRateMinor: 10_001, invoiceOn },
});

async function approve(body: object): Promise<ShownTimeEntry> {
  const entry = await makeTime(ada.api, { billable: true, ...body });
  await act(ada.api, `${TIME}/${entry.id}`, 'submit');
  return act<ShownTimeEntry>(tenant.api, `${TIME}/${entry.id}`, 'approve');
}

async function invoicesOf(projectId: string): Promise<Invoice[]> {
  const { body } = await tenant.api.get<{ data: Invoice[] }>(`${INVOICES}?projectId=${projectId}&sort=createdAt`);
  return body.data;
}
const sourcesOf = (invoices: Invoice[]) =>
  invoices.flatMap(({ lineItems }) => lineItems.map(({ source }) => source?.id));

describe('the end of a month', () => {
  it('creates one draft of the approved time at its frozen rate, once', async () => {
    const { id: projectId } = await makeProject(tenant.api, hourly('month_end'));
    await work();
    const month = thisMonth();
    const entries = [await approve({ projectId, minutes: 90 }), await approve({ projectId, minutes: 25 })];
    await tenant.api.patch(`${PROJECTS}/${projectId}`, { billing: { hourlyRateMinor: 1 } });
    await approve({ projectId, billable: false });
    await makeTime(ada.api, { projectId, billable: true });
    // As after a change of the time zone: the timer fires before the end of the month.
    await stage.sql(`update data.automation_runs set state = 'ready' where key = $1`, [`${projectId}:${month}`]);
    await work();
    expect(await invoicesOf(projectId)).toEqual([]);
    goTo(nextMonth(month));
    await approve({ projectId, workDate: today() });
    await work();
    const drafts = await invoicesOf(projectId);
    expect(drafts).toMatchObject([
      {
        status: 'draft',
        name: `Relaunch, ${month}`,
        currency: 'EUR',
        createdBy: { name: 'finance.project.month_end' },
      },
    ]);
    expect(sourcesOf(drafts)).toEqual(entries.map(({ id }) => id));
    expect(drafts[0]!.totalMinor).toBe(entries[0]!.amountMinor! + entries[1]!.amountMinor!);
    expect(drafts[0]!.lineItems[0]!.description).toContain('1 h 30 min');
    await stage.sql(`update data.automation_runs set state = 'ready', finished_at = null where key = $1`, [
      `${projectId}:${month}`,
    ]);
    await work();
    expect(await invoicesOf(projectId)).toHaveLength(1);
    goTo(nextMonth(nextMonth(month)));
    await work();
    expect((await invoicesOf(projectId)).map(({ lineItems }) => lineItems.length)).toEqual([2, 1]);
    goTo(nextMonth(nextMonth(nextMonth(month))));
    await work();
    expect(await invoicesOf(projectId)).toHaveLength(2);
  });

  it('charges a retainer for each month, also for months that ended while no worker ran', async () => {
    const retainer = { model: 'retainer', budgetMinor: 150_000, invoiceOn: 'month_end' };
    const { id } = await makeProject(tenant.api, { name: 'Care', billing: retainer });
    const idle = await makeProject(tenant.api, { name: 'Not started', billing: retainer });
    await act(tenant.api, `${PROJECTS}/${id}`, 'start');
    const first = thisMonth();
    const [second, third] = [nextMonth(first), nextMonth(nextMonth(first))];
    goTo(nextMonth(third));
    await work();
    expect(await invoicesOf(id)).toMatchObject(
      [first, second, third].map((month) => ({
        name: `Care, ${month}`,
        totalMinor: 150_000,
        lineItems: [{ periodStartDate: `${month}-01` }],
      })),
    );
    await act(tenant.api, `${PROJECTS}/${id}`, 'hold', { reason: 'Budget freeze' });
    await work();
    goTo(nextMonth(nextMonth(nextMonth(third))));
    await work();
    expect(await invoicesOf(id)).toHaveLength(4); // the month in which the hold began is the last
    expect(await invoicesOf(idle.id)).toEqual([]);
  });

  it('is that of the time zone of the tenant', async () => {
    await tenant.api.patch('/api/admin/settings', { general: { timezone: 'America/Los_Angeles' } });
    const month = nextMonth(thisMonth());
    goTo(month, 30);
    const { id: projectId } = await makeProject(tenant.api, hourly('month_end'));
    await approve({ projectId });
    await work();
    goTo(nextMonth(month), 6);
    await work();
    expect(await invoicesOf(projectId)).toEqual([]);
    goTo(nextMonth(month), 9);
    await work();
    expect(await invoicesOf(projectId)).toHaveLength(1);
  });

  it('leaves nothing half done when the worker dies, and is made up for', async () => {
    const { id: projectId } = await makeProject(tenant.api, hourly('month_end'));
    await approve({ projectId });
    await work();
    goTo(nextMonth(thisMonth()));
    await stage.sql(
      `create function public.die() returns trigger language plpgsql as $$ begin raise exception 'died'; end $$;
       create trigger die before insert on data.finance_invoice_sources for each row execute function public.die()`,
    );
    await work();
    await stage.sql('drop function public.die() cascade');
    expect(await invoicesOf(projectId)).toEqual([]);
    stage.platform.clock.advance(HOUR_MS);
    await work();
    expect(await invoicesOf(projectId)).toHaveLength(1);
  });

  it('charges time once, and again after a draft is deleted or an invoice voided', async () => {
    const { id: projectId } = await makeProject(tenant.api, hourly('month_end'));
    const entry = await approve({ projectId });
    const source = { object: 'work.time_entry', id: entry.id };
    const lineItems = [{ description: 'Manual', unitPriceMinor: 1, source }];
    const manual = await tenant.api.post<Invoice>(INVOICES, { currency: 'EUR', lineItems });
    await work();
    goTo(nextMonth(thisMonth()));
    await work();
    expect(await invoicesOf(projectId)).toEqual([]);
    await tenant.api.delete(`${INVOICES}/${manual.body.id}`);
    goTo(nextMonth(thisMonth()));
    await work();
    const [draft] = await invoicesOf(projectId);
    expect(sourcesOf([draft!])).toEqual([entry.id]);
    await tenant.api.patch(`${INVOICES}/${draft!.id}`, { customer: { name: 'Globex' }, exchange: { rate: '1.1' } });
    await act(tenant.api, `${INVOICES}/${draft!.id}`, 'issue');
    goTo(nextMonth(thisMonth()));
    await work();
    expect(await invoicesOf(projectId)).toHaveLength(1);
    await act(tenant.api, `${INVOICES}/${draft!.id}`, 'void', { reason: 'Wrong address' });
    goTo(nextMonth(thisMonth()));
    await work();
    expect(sourcesOf(await invoicesOf(projectId))).toEqual([entry.id, entry.id]);
  });
});

const complete = async (id: string) => {
  await act(tenant.api, `${PROJECTS}/${id}`, 'complete', { force: true });
  await work();
};

/** A started project with a fixed price of 100,000. */
async function fixed(invoiceOn = 'completion'): Promise<{ id: string }> {
  const billing = { model: 'fixed', budgetMinor: 100_000, currency: 'EUR', invoiceOn };
  const { id } = await makeProject(tenant.api, { name: 'Relaunch', billing });
  return act(tenant.api, `${PROJECTS}/${id}`, 'start');
}

/** Reaches a milestone of 40,000. */
async function reach(projectId: string): Promise<{ id: string }> {
  const { id } = await makeMilestone(tenant.api, { projectId, billableMinor: 40_000 });
  return act(tenant.api, `${MILESTONES}/${id}`, 'reach');
}

/** Totals of the invoices of a project that are not void, in order. */
const totals = async (projectId: string) =>
  (await invoicesOf(projectId))
    .flatMap(({ status, totalMinor }) => (status === 'void' ? [] : [totalMinor]))
    .sort((a, b) => a - b);

describe('the completion of a project', () => {
  it('charges the rest of a fixed price once, without what milestones have charged', async () => {
    const { id } = await fixed();
    await reach(id);
    await complete(id);
    expect(await totals(id)).toEqual([40_000, 60_000]);
    await act(tenant.api, `${PROJECTS}/${id}`, 'reopen');
    await complete(id);
    expect(await totals(id)).toEqual([40_000, 60_000]);
  });

  it('charges the remaining approved time, and nothing if there is none', async () => {
    const [{ id }, idle] = [
      await makeProject(tenant.api, hourly('completion')),
      await makeProject(tenant.api, hourly('completion')),
    ];
    for (const each of [id, idle.id]) await act(tenant.api, `${PROJECTS}/${each}`, 'start');
    const entry = await approve({ projectId: id, minutes: 61 });
    await complete(id);
    await complete(idle.id);
    expect(await invoicesOf(id)).toMatchObject([{ status: 'draft', totalMinor: entry.amountMinor }]);
    expect(await invoicesOf(idle.id)).toEqual([]);
  });

  it('charges nothing with another moment', async () => {
    const { id } = await makeProject(tenant.api, hourly('manual'));
    await act(tenant.api, `${PROJECTS}/${id}`, 'start');
    await approve({ projectId: id });
    await complete(id);
    expect(await invoicesOf(id)).toEqual([]);
  });
});

describe('the rest of a fixed price', () => {
  /** Reaches a milestone and returns the draft with its line. */
  const charged = async (projectId: string) => {
    await reach(projectId);
    await work();
    return (await invoicesOf(projectId))[0]!;
  };
  const voided = async ({ id }: Invoice) => {
    await tenant.api.patch(`${INVOICES}/${id}`, { customer: { name: 'Globex' }, exchange: { rate: '1.1' } });
    await act(tenant.api, `${INVOICES}/${id}`, 'issue');
    await act(tenant.api, `${INVOICES}/${id}`, 'void', { reason: 'Wrong address' });
  };
  const runs = (milestoneId: string, changes: string) =>
    stage.sql(`update data.automation_runs set ${changes} where subject_id = $1`, [milestoneId]);
  /** A reached milestone whose run exists and has not been executed. */
  const waiting = async (projectId: string, changes: string) => {
    const milestone = await reach(projectId);
    await workers[0]!.get(EventRelay).pass();
    await runs(milestone.id, changes);
    return milestone;
  };

  it('includes a milestone that was reached while the project was invoiced manually', async () => {
    const { id } = await fixed('manual');
    await reach(id);
    await work();
    await tenant.api.patch(`${PROJECTS}/${id}`, { billing: { invoiceOn: 'completion' } });
    await complete(id);
    expect(await totals(id)).toEqual([100_000]);
  });

  it('includes a milestone whose draft was deleted', async () => {
    const { id } = await fixed();
    const draft = await charged(id);
    expect(await tenant.api.delete(`${INVOICES}/${draft.id}`)).toMatchObject({ status: 200 });
    await complete(id);
    expect(await totals(id)).toEqual([100_000]);
  });

  it('includes a milestone whose line was removed from its draft', async () => {
    const { id } = await fixed();
    const draft = await charged(id);
    const lineItems = [{ description: 'Travel', unitPriceMinor: 5_000 }];
    await tenant.api.patch(`${INVOICES}/${draft.id}`, { lineItems });
    await complete(id);
    expect(await totals(id)).toEqual([5_000, 95_000]);
  });

  it('includes a milestone whose invoice was voided', async () => {
    const { id } = await fixed();
    await voided(await charged(id));
    await complete(id);
    expect(await totals(id)).toEqual([100_000]);
  });

  it('counts a milestone once whose invoice was voided and duplicated', async () => {
    const { id } = await fixed();
    const invoice = await charged(id);
    await voided(invoice);
    expect(await tenant.api.post(`${INVOICES}/${invoice.id}/duplicate`)).toMatchObject({ status: 201 });
    await complete(id);
    expect(await totals(id)).toEqual([40_000, 60_000]);
  });

  it('counts each copy of an invoice that was duplicated without being voided', async () => {
    const { id } = await fixed();
    const invoice = await charged(id);
    expect(await tenant.api.post(`${INVOICES}/${invoice.id}/duplicate`)).toMatchObject({ status: 201 });
    await complete(id);
    expect(await totals(id)).toEqual([20_000, 40_000, 40_000]);
  });

  it('is charged again if its own invoice was voided and the project is completed once more', async () => {
    const { id } = await fixed();
    await complete(id);
    await voided((await invoicesOf(id))[0]!);
    await act(tenant.api, `${PROJECTS}/${id}`, 'reopen');
    await complete(id);
    expect(await totals(id)).toEqual([100_000]);
  });

  it('excludes a milestone that was charged manually on an invoice of no project', async () => {
    const { id } = await fixed();
    const milestone = await makeMilestone(tenant.api, { projectId: id, billableMinor: 40_000 });
    const source = { object: 'work.milestone', id: milestone.id };
    const lineItems = [{ description: 'By hand', unitPriceMinor: 30_000, source }];
    await tenant.api.post(INVOICES, { currency: 'EUR', lineItems });
    await act(tenant.api, `${MILESTONES}/${milestone.id}`, 'reach');
    await complete(id);
    expect(await totals(id)).toEqual([70_000]);
  });

  it('includes what an invoice of the project charges for the milestone of another one', async () => {
    const [{ id: projectId }, other] = [await fixed(), await fixed()];
    const milestone = await makeMilestone(tenant.api, { projectId: other.id, billableMinor: 40_000 });
    const source = { object: 'work.milestone', id: milestone.id };
    const lineItems = [
      { description: 'Theirs', unitPriceMinor: 40_000, source },
      { description: 'Ours', unitPriceMinor: 1_000 },
    ];
    await tenant.api.post(INVOICES, { currency: 'EUR', projectId, lineItems });
    await complete(projectId);
    await complete(other.id);
    expect([await totals(projectId), await totals(other.id)]).toEqual([[41_000, 99_000], [60_000]]);
  });

  it('excludes a milestone whose line is added later, because its run is to be repeated', async () => {
    const { id } = await fixed();
    const milestone = await waiting(id, `state = 'waiting', attempts = 1, due_at = now() + interval '9 years'`);
    await complete(id);
    expect(await totals(id)).toEqual([60_000]);
    await runs(milestone.id, `state = 'ready'`);
    await work();
    expect(await totals(id)).toEqual([100_000]); // the line is added to the draft
  });

  it('excludes a milestone that is reached after the completion, before the draft', async () => {
    const { id } = await fixed();
    const milestone = await makeMilestone(tenant.api, { projectId: id, billableMinor: 40_000 });
    await act(tenant.api, `${PROJECTS}/${id}`, 'complete', { force: true });
    await workers[0]!.get(EventRelay).pass();
    await act(tenant.api, `${MILESTONES}/${milestone.id}`, 'reach');
    await workers[0]!.get(AutomationWorker).pass();
    expect(await totals(id)).toEqual([60_000]);
    await work();
    expect(await totals(id)).toEqual([100_000]);
  });

  it('includes a milestone whose run has failed for good', async () => {
    const { id } = await fixed();
    await waiting(id, `state = 'failed', error_code = 'internal_error', finished_at = now()`);
    await complete(id);
    expect(await totals(id)).toEqual([100_000]);
  });
});
