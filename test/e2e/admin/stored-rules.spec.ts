import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import type { TestTenant } from '../../harness/platform.js';
import { Stage } from '../../worker/stage.js';
import { command, RETENTION, work } from './retention-stage.js';

const DEALS = '/api/v1/sales/deals';
const ENDPOINTS = '/api/webhooks/endpoints';

let stage: Stage;
let tenant: TestTenant;
beforeAll(async () => {
  stage = await Stage.open();
});
beforeEach(async () => {
  tenant = await stage.platform.tenant();
});
afterEach(() => stage.stopWorkers());
afterAll(() => stage.close());

/** All parameters of a list that take a member. */
const parametersOf = (type: string): string[] => {
  const { list } = stage.platform.app.get(ResourceRegistry).ofType(type)!.definition;
  return Object.entries(list.filters)
    .filter(([, { person }]) => person === true)
    .flatMap(([field, { operators, plain = 'eq' }]) =>
      operators.filter((each) => each !== 'isNull').map((each) => (each === plain ? field : `${field}[${each}]`)),
    );
};
const refusal = (pointer: string) => ({ status: 400, body: { errors: [{ pointer, code: 'not_applicable' }] } });
const pointerOf = (parameter: string) => `/filter/${parameter}`;

describe('a rule that is carried out without a caller', () => {
  it('does not take `me` in any filter of any type', async () => {
    const types = stage.platform.app.get(ResourceRegistry).all();
    expect(types.length).toBeGreaterThan(20);
    for (const { type } of types)
      for (const parameter of parametersOf(type)) {
        const body = { object: type, retainDays: 36_500, filter: { [parameter]: 'me' } };
        expect([parameter, await tenant.api.post(RETENTION, body)]).toMatchObject([
          parameter,
          refusal(pointerOf(parameter)),
        ]);
      }
  });

  it('does not take `me` in a list or for a custom field, even an archived one', async () => {
    const field = { recordType: 'sales.deal', key: 'buyer', label: 'Buyer', fieldType: 'member' };
    const made = await tenant.api.post<{ id: string }>('/api/settings/custom-fields', field);
    expect(made.status).toBe(201);
    const archived = await tenant.api.post(`/api/settings/custom-fields/${made.body.id}/archive`);
    expect(archived.status).toBe(200);
    const tries = { 'ownerId[in]': `${tenant.id},me`, 'customFields.buyer': 'me' };
    for (const [parameter, value] of Object.entries(tries))
      expect(
        await tenant.api.post(RETENTION, { object: 'sales.deal', retainDays: 30, filter: { [parameter]: value } }),
      ).toMatchObject(refusal(pointerOf(parameter)));
    const text = { object: 'sales.deal', retainDays: 30, filter: { name: 'me' } };
    expect(await tenant.api.post(RETENTION, text)).toMatchObject({ status: 200 });
  });

  it('keeps what its preview kept where it was stored with `me` before that was refused', async () => {
    await tenant.api.post(DEALS, { name: 'Acme renewal' });
    stage.platform.clock.advance(100 * DAY_MS);
    const policy = await command(tenant, { object: 'sales.deal', retainDays: 30 });
    await stage.sql(`update data.retention_policies set filter = '{"ownerId[ne]":"me"}' where tenant_id = $1`, [
      tenant.id,
    ]);
    expect(await tenant.api.post(RETENTION, { action: 'preview', id: policy['id'] })).toMatchObject(
      refusal('/filter/ownerId[ne]'),
    );
    const { jobId } = await command(tenant, { action: 'run_now', id: policy['id'], confirm: true });
    await work(stage);
    const { body } = await tenant.api.get<{ data: object[] }>(DEALS);
    expect(body.data).toHaveLength(1);
    expect((await tenant.api.get(`/api/operations/jobs/${String(jobId)}`)).body).not.toMatchObject({
      status: 'succeeded',
    });
  });

  it('does not take `me` in the filter of a webhook endpoint', async () => {
    const condition = { field: 'ownerId', op: 'eq', value: 'me' };
    const body = { url: 'https://hooks.example.com/platform', eventTypes: ['sales.deal.*'] };
    expect(await tenant.api.post(ENDPOINTS, { ...body, filter: { not: condition } })).toMatchObject(
      refusal('/filter/not/value'),
    );
    const list = { field: 'account.ownerId', op: 'in', value: [tenant.id, 'me'] };
    expect(await tenant.api.post(ENDPOINTS, { ...body, filter: list })).toMatchObject(refusal('/filter/value'));
  });
});
