import { MINUTE_MS } from '#libs/kernel/durations.js';
import type { OnboardingStep, OnboardingView } from '#src/areas/setup/onboarding/onboarding.dto.js';
import { STEP_KEYS, type StepKey } from '#src/areas/setup/onboarding/onboarding-steps.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { expectStatus, issuedInvoice, TAX_RATES } from '../finance/payment-calls.js';
import { makeEmployee } from '../people/people-calls.js';
import { DEALS, makeDeal } from '../sales/deal-calls.js';
import { auditOf, eventsOf } from '../../harness/written.js';
import { makeProject } from '../work/work-calls.js';
import { ROLES, WORKSPACES } from './people-calls.js';

const PATH = '/api/admin/onboarding';
const SETTINGS = '/api/admin/settings';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant({ plan: 'free' });
});

const read = async (): Promise<OnboardingView> => expectStatus(await tenant.api.get<OnboardingView>(PATH), 200);
const send = (body: object) => tenant.api.post<OnboardingView & { code: string }>(PATH, body);
const command = async (body: object): Promise<OnboardingView> => expectStatus(await send(body), 200);
const stepOf = ({ steps }: OnboardingView, key: StepKey): OnboardingStep => steps.find((step) => step.key === key)!;
const doneIn = ({ steps }: OnboardingView) => steps.filter(({ status }) => status === 'done').map(({ key }) => key);
const post = async (path: string, body: object) => {
  const { status, text } = await tenant.api.post(path, body);
  if (status >= 300) throw new Error(text);
};
const patch = async (path: string, body: object) => {
  expectStatus(await tenant.api.patch(path, body), 200);
};
const actions = async () => (await auditOf(platform, tenant, tenant.id)).map(({ action }) => action);
const events = async () => (await eventsOf(platform, tenant, tenant.id)).map(({ type }) => type);

/** What completes each step through the API. `webhook_verified` is tested with a worker. */
const FULFILMENTS: Partial<Record<StepKey, () => Promise<unknown>>> = {
  company_profile: () => patch(SETTINGS, { general: { legalName: 'Acme Ltd', country: 'DE' } }),
  legal_entity_and_tax: async () => {
    await patch(SETTINGS, { finance: { legalEntity: { address: '1 High Street', taxId: 'DE123456789' } } });
    expect(doneIn(await read())).toEqual([]); // the tax rate is missing
    await post(TAX_RATES, { name: 'VAT', percent: 19 });
  },
  invite_team: async () => {
    await platform.member(tenant, 'Ana');
    expect(doneIn(await read())).toEqual([]);
    await platform.member(tenant, 'Ben');
  },
  roles_reviewed: () => post(ROLES, { name: 'Seller', permissions: ['deals:read'] }),
  mfa_policy: () => patch('/api/admin/security/mfa', { policy: 'admins' }),
  workspace_created: () => post(WORKSPACES, { name: 'North', key: 'NORTH' }),
  first_account: () => post('/api/v1/sales/accounts', { name: 'Globex' }),
  first_deal: () => makeDeal(tenant.api),
  first_project: () => makeProject(tenant.api),
  first_invoice_issued: () => issuedInvoice(tenant.api, 1_000),
  employee_imported: () => makeEmployee(tenant.api),
  api_key_created: () =>
    post('/api/settings/developer/api-keys', { name: 'Shop', kind: 'service', scopes: ['deals:read'] }),
  scim_or_sso: () => post('/api/admin/scim', { name: 'Entra ID' }),
  retention_policy: () => post('/api/admin/retention', { object: 'sales.contact', retainDays: 730 }),
  ai_policy: () => patch('/api/ai/policy', { ratePerMinute: 100 }),
};

describe('a new tenant', () => {
  it('has all steps to do', async () => {
    const { steps, ...figures } = await read();
    const at = new Date(platform.clock.nowMs()).toISOString();
    expect(figures).toMatchObject({ progressPercent: 0, requiredLeft: 16, completedAt: null, dismissed: false });
    expect(Date.parse(figures.startedAt)).toBeCloseTo(Date.parse(at), -4);
    expect(steps.map(({ key, order, status }) => [key, order, status])).toEqual(
      STEP_KEYS.map((key, index) => [key, index + 1, 'todo']),
    );
    expect(steps.filter(({ required }) => !required).map(({ key }) => key)).toEqual(['scim_or_sso']);
    expect([await actions(), await events()]).toEqual([['admin.onboarding.started'], ['admin.onboarding.started']]);
  });

  it('has selected a plan unless it is on the free one', async () => {
    tenant = await platform.tenant({ plan: 'business' });
    expect(doneIn(await read())).toEqual(['plan_selected']);
  });

  it('starts once, even with simultaneous requests', async () => {
    const views = await Promise.all([read(), read(), read(), read()]);
    expect(new Set(views.map(({ startedAt }) => startedAt)).size).toBe(1);
    expect(await events()).toEqual(['admin.onboarding.started']);
  });
});

describe('a step', () => {
  it.each(Object.keys(FULFILMENTS) as StepKey[])('%s is done as soon as the data shows it', async (key) => {
    await read();
    platform.clock.advance(MINUTE_MS);
    await FULFILMENTS[key]!();
    const shown = await read();
    expect(doneIn(shown)).toEqual([key]);
    expect(stepOf(shown, key)).toMatchObject({ status: 'done', completedBy: null });
    expect(Date.parse(stepOf(shown, key).detectedAt!)).toBeGreaterThan(Date.parse(shown.startedAt));
    expect(shown.requiredLeft).toBe(key === 'scim_or_sso' ? 16 : 15);
    expect(shown.progressPercent).toBe(key === 'scim_or_sso' ? 0 : 6);
  });

  it('stays done once found, and is recorded once', async () => {
    await read();
    const { id } = await makeDeal(tenant.api);
    const found = await read();
    expectStatus(await tenant.api.delete(`${DEALS}/${id}`), 200);
    platform.clock.advance(MINUTE_MS);
    expect(await read()).toEqual(found);
    const recorded = ['admin.onboarding.started', 'admin.onboarding.step_completed'];
    expect([await actions(), await events()]).toEqual([recorded, recorded]);
    const [, event] = await eventsOf(platform, tenant, tenant.id);
    expect(event!.data).toMatchObject({ steps: [{ key: 'first_deal', status: 'done' }], version: 2 });
  });

  it('does not count data in the trash, or of another tenant', async () => {
    const other = await platform.tenant();
    await makeDeal(other.api);
    const { id } = await makeDeal(tenant.api);
    expectStatus(await tenant.api.delete(`${DEALS}/${id}`), 200);
    expect(doneIn(await read())).toEqual([]);
  });
});

describe('actions', () => {
  it('refuse to complete a step that the data does not show as done', async () => {
    expect(await send({ action: 'complete', stepKey: 'first_deal' })).toMatchObject({
      status: 400,
      body: { code: 'not_detected' },
    });
    expectStatus(await send({ action: 'skip', stepKey: 'first_deal' }), 200);
    expect((await send({ action: 'complete', stepKey: 'first_deal' })).body.code).toBe('not_detected');
  });

  it('confirm a step that is done', async () => {
    await makeDeal(tenant.api);
    const { api } = await platform.member(tenant, 'Ana');
    const confirm = () => api.post<OnboardingView>(PATH, { action: 'complete', stepKey: 'first_deal' });
    const shown = expectStatus(await confirm(), 200);
    expect(stepOf(shown, 'first_deal').completedBy).toMatchObject({ type: 'api_key' });
    expect(stepOf(shown, 'first_deal').detectedAt).not.toBeNull();
    expect(await confirm()).toMatchObject({ status: 409, body: { code: 'invalid_transition', state: 'confirmed' } });
    expect(await actions()).toEqual(['admin.onboarding.started', 'admin.onboarding.step_completed']);
  });

  it('skip a step, until the data shows it as done', async () => {
    const skipped = await command({ action: 'skip', stepKey: 'first_deal' });
    expect(skipped).toMatchObject({ progressPercent: 6, requiredLeft: 15 });
    expect(stepOf(skipped, 'first_deal')).toMatchObject({
      status: 'skipped',
      detectedAt: null,
      completedBy: { type: 'api_key' },
    });
    const again = { code: 'invalid_transition', state: 'skipped', action: 'skip', allowedActions: ['reset'] };
    expect(await send({ action: 'skip', stepKey: 'first_deal' })).toMatchObject({ status: 409, body: again });
    await makeDeal(tenant.api);
    expect(stepOf(await read(), 'first_deal')).toMatchObject({ status: 'done', completedBy: null });
    expect(await actions()).toEqual(
      ['started', 'step_skipped', 'step_completed'].map((each) => `admin.onboarding.${each}`),
    );
  });

  it('refuse to skip a step that is done', async () => {
    await makeDeal(tenant.api);
    const { status, body } = await send({ action: 'skip', stepKey: 'first_deal' });
    expect([status, body.code]).toEqual([409, 'invalid_transition']);
    expect(doneIn(await read())).toEqual(['first_deal']);
  });

  it('reset a step, which is done again only if the data still shows it', async () => {
    const { id } = await makeDeal(tenant.api);
    await post('/api/v1/sales/accounts', { name: 'Globex' });
    await command({ action: 'skip', stepKey: 'ai_policy' });
    expectStatus(await tenant.api.delete(`${DEALS}/${id}`), 200);
    platform.clock.advance(MINUTE_MS);
    const before = await read();
    expect(stepOf(await command({ action: 'reset', stepKey: 'ai_policy' }), 'ai_policy').status).toBe('todo');
    expect(doneIn(await command({ action: 'reset', stepKey: 'first_deal' }))).toEqual(['first_account']);
    const again = stepOf(await command({ action: 'reset', stepKey: 'first_account' }), 'first_account');
    expect(again.status).toBe('done');
    expect(again.detectedAt! > stepOf(before, 'first_account').detectedAt!).toBe(true);
  });

  it('complete the onboarding when no required step is left', async () => {
    let shown = await read();
    for (const { key, required } of shown.steps) {
      expect(shown.completedAt).toBeNull();
      if (required) shown = await command({ action: 'skip', stepKey: key });
    }
    expect(shown).toMatchObject({ progressPercent: 100, requiredLeft: 0 });
    expect(shown.completedAt).not.toBeNull();
    expect(stepOf(shown, 'scim_or_sso').status).toBe('todo');
    expect(await command({ action: 'reset', stepKey: 'ai_policy' })).toMatchObject({
      ...{ progressPercent: 93, requiredLeft: 1, completedAt: null },
    });
  });

  it('dismiss and restart the onboarding', async () => {
    const { startedAt } = await command({ action: 'skip', stepKey: 'ai_policy' });
    await makeDeal(tenant.api);
    platform.clock.advance(MINUTE_MS);
    expect(await command({ action: 'dismiss' })).toMatchObject({ dismissed: true, startedAt });
    const restarted = await command({ action: 'restart' });
    expect(restarted).toMatchObject({ dismissed: false, completedAt: null });
    expect(restarted.startedAt > startedAt).toBe(true);
    expect(stepOf(restarted, 'ai_policy').status).toBe('todo');
    expect(doneIn(restarted)).toEqual(['first_deal']);
  });

  it.each([
    [{ action: 'skip' }, '/stepKey', 'required'],
    [{ action: 'dismiss', stepKey: 'ai_policy' }, '/stepKey', 'not_with_action'],
    [{ action: 'skip', stepKey: 'unknown' }, '/stepKey', 'invalid_value'],
    [{ action: 'unknown' }, '/action', 'invalid_value'],
    [{}, '/action', 'required'],
  ])('refuse %j', async (body, pointer, code) => {
    expect(await send(body)).toMatchObject({ status: 400, body: { errors: [{ pointer, code }] } });
  });

  it('require onboarding:manage', async () => {
    const reader = await platform.key(tenant, ['onboarding:read']);
    expectStatus(await reader.get(PATH), 200);
    expect((await reader.post(PATH, { action: 'dismiss' })).status).toBe(403);
    expect((await read()).dismissed).toBe(false);
  });
});
