import type { Answer, Client } from '../harness/client.js';
import { callOf } from './fixtures.js';
import { NOWHERE, type Operation, type Schema } from './operations.js';
import { type Running, sceneOf, send, startRunning } from './running.js';

/** `me` in every filter by people, in all forms. */
const platform: Running = await startRunning();
afterAll(() => platform.close());

/** The schema of a membership id or `me`, which identifies these parameters. */
const isPerson = ({ type, maxLength, format }: Schema): boolean => type === 'string' && maxLength === 36 && !format;

const FILTERING = platform.operations
  .filter(({ method, alias }) => method === 'GET' && !alias)
  .map((operation) => ({
    operation,
    name: operation.name,
    parameters: operation.parameters.filter(({ schema }) => isPerson(schema.items ?? schema)).map(({ name }) => name),
  }))
  .filter(({ parameters }) => parameters.length > 0);

it('finds filters by people', () => {
  expect(FILTERING.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'sales.deals.list',
      'ai.jobs.list',
      'admin.workspaces.list',
      'admin.resource_permissions.list',
    ]),
  );
});

describe.each(FILTERING)('$name', ({ operation, parameters }: { operation: Operation; parameters: string[] }) => {
  it('accepts `me` for the member that the caller acts for', async () => {
    const tenant = await platform.tenant();
    const scene = sceneOf(platform, tenant, 'persons');
    const base = await callOf(operation, scene);
    const { id, api } = await platform.member(tenant, 'Me');
    for (const parameter of parameters) {
      const isList = parameter.endsWith('[in]');
      const ask = async (as: Client, value: string): Promise<Answer> => {
        const query = { ...base.query, [parameter]: isList ? `${value},${NOWHERE}` : value };
        const answer = await send(as, operation, { ...base, query });
        expect({ parameter, status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
        return answer;
      };
      expect((await ask(api, 'me')).body['data']).toEqual((await ask(api, id)).body['data']);
      await ask(scene.api, 'me'); // a service key has no member
    }
  });
});

describe('what they find', () => {
  it('is the records of the caller, alone or with those of others', async () => {
    const tenant = await platform.tenant();
    const [me, other] = [await platform.member(tenant, 'Me'), await platform.member(tenant, 'Other')];
    for (const [name, ownerId] of [
      ['Mine', me.id],
      ['Theirs', other.id],
      ['Nobody’s', null],
    ] as const)
      await tenant.api.post('/api/v1/sales/deals', { name, ownerId });
    const found = async (query: string) => {
      const { body } = await me.api.get<{ data: { name: string }[] }>(`/api/v1/sales/deals?sort=createdAt&${query}`);
      return body.data.map(({ name }) => name);
    };
    expect(await found('ownerId[in]=me')).toEqual(['Mine']);
    expect(await found(`ownerId[in]=${other.id},me`)).toEqual(['Mine', 'Theirs']);
    expect(await found('ownerId[ne]=me')).toEqual(['Theirs', 'Nobody’s']);
  });

  it('also works with custom fields and actors', async () => {
    const tenant = await platform.tenant();
    const me = await platform.member(tenant, 'Me');
    const field = { recordType: 'sales.deal', key: 'sponsor', label: 'Sponsor', fieldType: 'member' };
    expect((await tenant.api.post('/api/settings/custom-fields', field)).status).toBe(201);
    const deal = await me.api.post('/api/v1/sales/deals', { name: 'Mine', customFields: { sponsor: me.id } });
    expect(deal.status).toBe(201);
    await tenant.api.post('/api/v1/sales/deals', { name: 'Other' });
    const found = await me.api.get<{ data: { name: string }[] }>('/api/v1/sales/deals?customFields.sponsor=me');
    expect(found.body.data).toMatchObject([{ name: 'Mine' }]);
    const log = await me.api.get<{ data: { target: { id: string } }[] }>(
      '/api/admin/audit-logs?action=sales.deal.created&actorId=me',
    );
    expect(log.body.data).toMatchObject([{ target: { id: deal.body['id'] } }]);
  });
});
