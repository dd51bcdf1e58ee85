import { MAX_ATTEMPTS } from '#libs/automation/retry-pauses.js';
import { HOUR_MS } from '#libs/kernel/durations.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import type { Client } from '../harness/client.js';
import type { TestTenant } from '../harness/platform.js';
import {
  change,
  changed,
  DEALS,
  type Handoff,
  handoff,
  type Json,
  list,
  make,
  read,
  template,
  wonDeal,
} from '../e2e/admin/handoff-calls.js';
import { exhaust } from './automation-stage.js';
import { inboxOf } from './notifications-stage.js';
import { Stage } from './stage.js';

/** What the worker does about handoffs. */
let stage: Stage;
let tenant: TestTenant;
let worker: Awaited<ReturnType<Stage['idleWorker']>>;
beforeAll(async () => {
  stage = await Stage.open();
  worker = await stage.idleWorker();
});
beforeEach(async () => {
  tenant = await stage.platform.tenant();
});
afterAll(() => stage.close());

const ACCOUNTS = '/api/v1/sales/accounts';
const VIEWER = '00000000-0000-7000-8000-000000000005';

async function work(): Promise<void> {
  await worker.get(EventRelay).pass();
  await exhaust(worker);
}

async function accepted(more: Json = {}, deal: Json = {}, acceptor?: Client): Promise<Handoff> {
  const made = await handoff(tenant.api, more, deal);
  await changed(tenant.api, made.id, { action: 'submit' });
  return changed(acceptor ?? (await stage.platform.key(tenant, ['*'])), made.id, { action: 'accept' });
}

const get = async (path: string) => (await tenant.api.get<Json>(path)).body;
const targetOf = ({ steps }: Handoff, key: string) => steps.find((step) => step.key === key)!.target!.id;
const eventsOf = async (id: string) =>
  (
    await stage.sql<{ type: string }>(
      'select type from data.events where tenant_id = $1 and subject_id = $2 order by id',
      [tenant.id, id],
    )
  ).map(({ type }) => type);

describe('a won deal', () => {
  const automatic = () => tenant.api.patch('/api/admin/settings', { sales: { autoHandoff: true } });

  it('gets a handoff if the settings say so', async () => {
    await automatic();
    const { id: templateId } = await template(tenant.api, { match: { dealTypes: ['new_business'] } });
    const dealId = await wonDeal(tenant.api);
    await work();
    const { data, warnings } = await list(tenant.api, `?dealId=${dealId}`);
    expect(data).toMatchObject([{ status: 'draft', templateId, name: 'Acme rollout' }]);
    expect(warnings).toEqual([]);
    expect(await get(`${DEALS}/${dealId}`)).toMatchObject({ handoffId: data[0]!.id });
  });

  it('gets none by default', async () => {
    await wonDeal(tenant.api);
    await work();
    expect(await list(tenant.api)).toMatchObject({ data: [], warnings: [] });
  });

  it('follows the settings at once, also in a worker that knows the former ones', async () => {
    await wonDeal(tenant.api);
    await work();
    await automatic();
    const dealId = await wonDeal(tenant.api);
    await work();
    expect((await list(tenant.api)).data).toMatchObject([{ dealId }]);
  });

  it('without an account gets a warning until somebody creates the handoff', async () => {
    await automatic();
    const dealId = await wonDeal(tenant.api, { accountId: null });
    await work();
    const { data, warnings } = await list(tenant.api);
    expect(data).toEqual([]);
    expect(warnings).toMatchObject([{ code: 'handoff_skipped_no_account', dealId, dealName: 'Acme rollout' }]);
    await make(tenant.api, '/api/admin/sales-handoff', { dealId });
    expect((await list(tenant.api)).warnings).toEqual([]);
  });

  it('keeps the handoff that it has', async () => {
    await automatic();
    const { id: accountId } = await make(tenant.api, '/api/v1/sales/accounts', { name: 'Acme' });
    const { id: dealId } = await make(tenant.api, DEALS, { name: 'Early', accountId });
    await make(tenant.api, `${DEALS}/${dealId}/move`, { stage: 'commit' });
    const early = await make(tenant.api, '/api/admin/sales-handoff', { dealId, early: true });
    await make(tenant.api, `${DEALS}/${dealId}/win`);
    await work();
    expect((await list(tenant.api)).data).toMatchObject([{ id: early.id }]);
  });
});

describe('an accepted handoff', () => {
  it('creates project, links, kick-off and deposit, and completes', async () => {
    const plan = await make(tenant.api, '/api/v1/work/project-templates', {
      name: 'Rollout',
      tasks: [
        { key: 'design', name: 'Design', offsetDays: 3, role: 'lead' },
        { key: 'review', name: 'Review', offsetDays: 5 },
      ],
      billing: { model: 'time_and_materials' },
    });
    await make(tenant.api, `/api/v1/work/project-templates/${plan.id}/publish`);
    await template(tenant.api, { isDefault: true, projectTemplateId: plan.id, depositPercent: 30 });
    const deliverer = await stage.platform.member(tenant, 'Deliverer');
    const { id: contactId } = await make(tenant.api, '/api/v1/sales/contacts', {
      firstName: 'Grace',
      lastName: 'Hopper',
    });
    const made = await accepted(
      { deliveryOwnerId: deliverer.id, summary: { scope: 'Two sites', stakeholders: [{ name: 'Grace' }] } },
      { value: 1_000.01, primaryContactId: contactId },
    );
    await work();
    const done = await read(tenant.api, made);
    const project = targetOf(done, 'project');
    const invoice = targetOf(done, 'invoice');
    expect(done).toMatchObject({ status: 'completed', projectId: project, invoiceId: invoice });
    expect(done.steps.map(({ key, status }) => `${key} ${status}`)).toEqual([
      'project done',
      'links done',
      'kickoff done',
      'invoice done',
      'deal done',
    ]);
    const accountId = made['accountId'];
    expect(await get(`/api/v1/work/projects/${project}`)).toMatchObject({
      name: 'Acme rollout',
      dealId: made.dealId,
      handoffId: made.id,
      accountId,
      templateId: plan.id,
      ownerId: deliverer.id,
      billing: { model: 'time_and_materials', budgetMinor: 100_001, currency: 'USD' },
      description: '## Scope\n\nTwo sites\n\n## Stakeholders\n\n- Grace',
    });
    const tasks = (await get(`/api/v1/work/tasks?projectId=${project}&sort=createdAt`))['data'] as Json[];
    expect(Object.fromEntries(tasks.map(({ name, assigneeIds }) => [name, assigneeIds]))).toMatchObject({
      Design: [deliverer.id],
      Review: [],
    });
    const links = (await get(`/api/v1/work/projects/${project}/links`))['data'] as { target: { id: string } }[];
    expect(links.map(({ target }) => target.id).sort()).toEqual([made.dealId, contactId].sort());
    expect(await get(`/api/v1/work/tasks/${targetOf(done, 'kickoff')}`)).toMatchObject({
      name: 'Kick-off: Acme rollout',
      projectId: project,
      assigneeIds: [deliverer.id],
    });
    expect(await get(`/api/v1/finance/invoices/${invoice}`)).toMatchObject({
      status: 'draft',
      accountId,
      dealId: made.dealId,
      projectId: project,
      totalMinor: 30_000,
    });
    expect(await get(`${DEALS}/${made.dealId}`)).toMatchObject({ handoffId: made.id, projectId: project });
    expect(await eventsOf(made.id)).toEqual(
      ['created', 'submitted', 'accepted', 'updated', 'updated', 'updated', 'updated', 'completed'].map(
        (verb) => `sales.handoff.${verb}`,
      ),
    );
  });

  it('creates a plain project with a fixed price, and no invoice without a deposit', async () => {
    const made = await accepted();
    await work();
    const done = await read(tenant.api, made);
    expect(done).toMatchObject({ status: 'completed', invoiceId: null });
    expect(done.steps[3]).toMatchObject({ key: 'invoice', status: 'skipped', target: null });
    expect(await get(`/api/v1/work/projects/${targetOf(done, 'project')}`)).toMatchObject({
      templateId: null,
      billing: { model: 'fixed', budgetMinor: 5_000_000 },
    });
  });

  it('cuts long names between characters', async () => {
    await template(tenant.api, { isDefault: true, depositPercent: 30 });
    const made = await accepted({}, { name: `Deal ${'😀'.repeat(195)}` });
    await work();
    const done = await read(tenant.api, made);
    expect(done).toMatchObject({ status: 'completed' });
    const { name } = await get(`/api/v1/work/tasks/${targetOf(done, 'kickoff')}`);
    expect(name).toBe(`Kick-off: Deal ${'😀'.repeat(185)}`);
    expect(await get(`/api/v1/finance/invoices/${targetOf(done, 'invoice')}`)).toMatchObject({
      name: `Deposit: Deal ${'😀'.repeat(186)}`,
    });
  });

  it('fails at a refused step without a trace of it, and continues there on retry', async () => {
    const plan = await make(tenant.api, '/api/v1/work/project-templates', { name: 'Rollout' });
    await make(tenant.api, `/api/v1/work/project-templates/${plan.id}/publish`);
    await template(tenant.api, { isDefault: true, projectTemplateId: plan.id });
    const made = await accepted();
    await make(tenant.api, `/api/v1/work/project-templates/${plan.id}/retire`);
    await work();
    const failed = await read(tenant.api, made);
    expect(failed).toMatchObject({ status: 'failed', projectId: null, allowedActions: ['retry'] });
    expect(failed.steps[0]).toMatchObject({ status: 'failed', error: { code: 'record_locked' } });
    expect(await get(`/api/v1/work/projects?dealId=${made.dealId}`)).toMatchObject({ data: [] });
    expect(await change(tenant.api, made.id, { action: 'submit' })).toMatchObject({ status: 409 });
    await make(tenant.api, `/api/v1/work/project-templates/${plan.id}/publish`);
    expect(await changed(tenant.api, made.id, { action: 'retry' })).toMatchObject({
      status: 'executing',
      effects: [{ type: 'execution_started', id: made.id }],
    });
    await work();
    expect(await read(tenant.api, made)).toMatchObject({ status: 'completed' });
    expect((await get(`/api/v1/work/projects?dealId=${made.dealId}`))['data']).toHaveLength(1);
  });

  it('skips the deposit of a deal without a value; its project is under delivery control all the same', async () => {
    await template(tenant.api, { isDefault: true, depositPercent: 30 });
    const made = await accepted({}, { value: null, accountId: null });
    await work();
    const done = await read(tenant.api, made);
    expect(done).toMatchObject({ status: 'completed', invoiceId: null });
    expect(done.steps[3]).toMatchObject({ key: 'invoice', status: 'skipped', error: { code: 'deal_without_value' } });
    expect(await get(`/api/v1/work/projects/${targetOf(done, 'project')}`)).toMatchObject({
      accountId: null,
      billing: { model: 'none', budgetMinor: null },
    });
    expect((await get('/api/admin/delivery-control'))['data']).toMatchObject([
      { project: { id: targetOf(done, 'project') } },
    ]);
  });

  it.each([
    ['the value', async () => ({ value: 90_000 })],
    ['the currency', async () => ({ value: 50_000, currency: 'EUR' })],
    ['the account', async () => ({ accountId: (await make(tenant.api, ACCOUNTS, { name: 'Other' })).id })],
  ])('fails if %s of the deal is not the accepted one, until somebody who may accept it retries', async (_, patch) => {
    const seller = await stage.platform.member(tenant, 'Seller', ['handoffs:read', 'handoffs:write', 'deals:read']);
    await template(tenant.api, { isDefault: true, depositPercent: 30 });
    const made = await accepted();
    expect(await tenant.api.patch(`${DEALS}/${made.dealId}`, await patch())).toMatchObject({ status: 200 });
    const refused = {
      status: 'failed',
      steps: [{ key: 'project', error: { code: 'approval_changed' } }, {}, {}, {}, {}],
    };
    const retried = async (api: Client) => {
      await changed(api, made.id, { action: 'retry' });
      await work();
      return read(tenant.api, made);
    };
    await work();
    expect(await read(tenant.api, made)).toMatchObject(refused);
    expect(await retried(seller.api)).toMatchObject(refused);
    expect(await retried(tenant.api)).toMatchObject(refused); // has submitted it
    const acceptor = await stage.platform.member(tenant, 'Acceptor');
    expect(await retried(acceptor.api)).toMatchObject({ status: 'completed' });
  });

  it('goes on after a merge of the account, because what was accepted follows it', async () => {
    const made = await accepted();
    const { id } = await make(tenant.api, ACCOUNTS, { name: 'Survivor' });
    await make(tenant.api, `${ACCOUNTS}/${String(made['accountId'])}/merge`, { intoId: id });
    await work();
    expect(await read(tenant.api, made)).toMatchObject({ status: 'completed', accountId: id });
  });

  it('fails if whoever accepted it may not any more', async () => {
    const acceptor = await stage.platform.member(tenant, 'Acceptor', ['*'], { roles: ['manager'] });
    const { id: handoffId, dealId } = await accepted({}, {}, acceptor.api);
    const demoted = await tenant.api.patch(`/api/admin/memberships/${acceptor.id}`, { roleIds: [VIEWER] });
    expect(demoted).toMatchObject({ status: 200 });
    await work();
    const failed = await read(tenant.api, { id: handoffId, dealId } as Handoff);
    expect(failed).toMatchObject({ status: 'failed', projectId: null });
    expect(failed.steps[0]).toMatchObject({ status: 'failed', error: { code: 'permission_denied' } });
  });

  it('fails at a step that was given up, with its error, an audit entry, an event and a notice', async () => {
    const deliverer = await stage.platform.member(tenant, 'Deliverer');
    const made = await accepted({ deliveryOwnerId: deliverer.id });
    await stage.sql(`create function data.test_fault() returns trigger language plpgsql as $$
      begin raise exception 'The disk is full.' using errcode = 'XX000'; end $$`);
    await stage.sql(`create trigger test_fault before insert on data.work_projects
      for each row when (new.tenant_id = '${tenant.id}') execute function data.test_fault()`);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      await work();
      stage.platform.clock.advance(HOUR_MS);
    }
    const failed = await read(tenant.api, made);
    expect(failed).toMatchObject({ status: 'failed', projectId: null, allowedActions: ['retry'] });
    expect(failed.steps.slice(0, 2)).toMatchObject([
      { key: 'project', status: 'failed', error: { code: 'internal_error', message: 'The disk is full.' } },
      { key: 'links', status: 'pending', error: null },
    ]);
    expect((await eventsOf(made.id)).at(-1)).toBe('sales.handoff.failed');
    expect((await get('/api/admin/audit-logs?action=sales.handoff.failed'))['data']).toMatchObject([
      { actor: { type: 'automation' } },
    ]);
    await work();
    expect(await inboxOf(deliverer)).toContainEqual(expect.objectContaining({ title: 'Handoff failed: Acme rollout' }));
    await stage.sql('drop function data.test_fault cascade');
    await changed(tenant.api, made.id, { action: 'retry' });
    await work();
    expect(await read(tenant.api, made)).toMatchObject({ status: 'completed' });
  });
});
