import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { Stage } from '../../worker/stage.js';
import { makeCandidate } from '../talent/talent-calls.js';

let stage: Stage;
let relay: EventRelay;
beforeAll(async () => {
  stage = await Stage.open();
  relay = (await stage.idleWorker()).get(EventRelay);
});
afterAll(() => stage.close());

it('events and deliveries about a record are visible only to those who can see it', async () => {
  const tenant = await stage.platform.tenant();
  const developer = await stage.platform.member(tenant, 'Developer', ['*'], { roles: ['developer'] });
  const endpoint = { url: 'http://127.0.0.1:9/hook', eventTypes: ['talent.*'] };
  const { body: made } = await tenant.api.post<{ id: string }>('/api/webhooks/endpoints', endpoint);
  const secret = await makeCandidate(tenant.api, { isPrivate: true });
  const open = await makeCandidate(tenant.api);
  const gone = await makeCandidate(tenant.api);
  await tenant.api.delete(`/api/v1/talent/candidates/${gone.id}`);
  await relay.dispatch(tenant.id);

  const subjects = async (api: typeof tenant.api): Promise<(string | null)[]> => {
    const { body } = await api.get<{ data: { subject: { id: string } }[]; page: object }>('/api/webhooks/events');
    expect(body.page).toMatchObject({ hasMore: false });
    return body.data.map(({ subject }) => subject.id);
  };
  const all = await subjects(tenant.api);
  const shown = await subjects(developer.api);
  expect(all).toEqual(expect.arrayContaining([secret.id, secret.applicationId]));
  const kept = (id: string | null) => id !== secret.id && id !== secret.applicationId;
  expect(shown).toEqual(all.filter(kept));
  expect(shown).toEqual(expect.arrayContaining([open.id, open.applicationId, gone.id, gone.applicationId]));

  const deliveries = async (api: typeof tenant.api) =>
    (await api.get('/api/admin/outbox?limit=200&include=payload')).text;
  expect(await deliveries(tenant.api)).toContain(secret.id);
  expect(await deliveries(developer.api)).not.toContain(secret.id);
  expect(await deliveries(developer.api)).toContain(open.id);

  const feed = await tenant.api.get<{ data: { id: string; subject: { id: string } }[] }>('/api/webhooks/events');
  const { id: eventId } = feed.body.data.find(({ subject }) => subject.id === secret.id)!;
  const filter = { field: 'isPrivate', op: 'eq', value: true };
  const tried = (api: typeof tenant.api) =>
    api.post(`/api/webhooks/endpoints/${made.id}/filter/test`, { filter, eventId });
  expect((await tried(tenant.api)).status).toBe(200);
  expect(await tried(developer.api)).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/eventId', code: 'unknown_reference' }] },
  });
});
