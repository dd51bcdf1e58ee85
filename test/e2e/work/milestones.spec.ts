import type { ShownMilestone } from '#src/areas/work/milestones/milestone.js';
import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { eventsOf } from '../../harness/written.js';
import { act, makeMilestone, makeProject, MILESTONES, PROJECTS } from './work-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
let api: Client;
let projectId: string;

beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  ({ api } = tenant);
  projectId = (await makeProject(api, { billing: { currency: 'EUR' } })).id;
});
afterAll(() => platform.close());

const patch = (id: string, body: object) => api.patch<ShownMilestone>(`${MILESTONES}/${id}`, body);

it('keeps its project in the currency of its amount until it is reached or deleted', async () => {
  const locked = { status: 409, body: { code: 'record_locked' } };
  const project = (currency: string) => api.patch(`${PROJECTS}/${projectId}`, { billing: { currency } });
  const free = await makeMilestone(api, { projectId });
  expect(await project('JPY')).toMatchObject({ status: 200 });
  expect((await patch(free.id, { billableMinor: 100 })).status).toBe(200);
  expect(await project('EUR')).toMatchObject(locked);
  await act(api, `${MILESTONES}/${free.id}`, 'reach');
  expect(await project('EUR')).toMatchObject({ status: 200 });
});

describe('a milestone', () => {
  it('is reached once, with the data needed for invoicing', async () => {
    const milestone = await makeMilestone(api, { projectId, billableMinor: 400_000, dueDate: '2099-01-31' });
    expect(milestone).toMatchObject({ status: 'open', currency: null, reachedAt: null, isMissed: false });
    const path = `${MILESTONES}/${milestone.id}/reach`;
    const answers = await Promise.all([api.post(path), api.post(path), api.post(path)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const reached = (await eventsOf(platform, tenant, milestone.id)).filter(({ type }) => type.endsWith('reached'));
    expect(reached).toHaveLength(1);
    expect(reached[0]).toMatchObject({
      type: 'work.milestone.reached',
      data: { projectId, billableMinor: 400_000, currency: 'EUR', status: 'reached' },
    });
  });

  it('keeps its amount once it is reached, and can no longer be deleted', async () => {
    const { id } = await makeMilestone(api, { projectId, billableMinor: 100 });
    expect((await patch(id, { billableMinor: 200 })).body).toMatchObject({ billableMinor: 200 });
    await act(api, `${MILESTONES}/${id}`, 'reach');
    const locked = { status: 409, body: { code: 'record_locked' } };
    expect(await patch(id, { billableMinor: 300 })).toMatchObject(locked);
    expect(await api.delete(`${MILESTONES}/${id}`)).toMatchObject(locked);
    expect((await patch(id, { name: 'Renamed' })).body).toMatchObject({ name: 'Renamed', billableMinor: 200 });
  });

  it('can be accepted only after it is reached', async () => {
    const { id } = await makeMilestone(api, { projectId, acceptance: { required: true } });
    expect(await patch(id, { status: 'accepted' })).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition' },
    });
    expect((await patch(id, { status: 'reached' })).body).toMatchObject({ status: 'reached' });
    const { body } = await patch(id, { status: 'accepted' });
    expect(body).toMatchObject({ status: 'accepted', acceptance: { required: true } });
    expect(body.acceptance.acceptedAt).not.toBeNull();
  });

  it('accepts only an existing contact', async () => {
    const contact = await api.post<{ id: string }>('/api/v1/sales/contacts', { name: 'Cleo' });
    const { id, acceptance } = await makeMilestone(api, { projectId, acceptance: { contactId: contact.body.id } });
    expect(acceptance).toEqual({ required: false, contactId: contact.body.id, acceptedAt: null, acceptedBy: null });
    expect((await patch(id, { acceptance: { required: true } })).body.acceptance).toMatchObject({
      required: true,
      contactId: contact.body.id,
    });
    expect(await patch(id, { acceptance: { contactId: projectId } })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/acceptance/contactId', code: 'unknown_reference' }] },
    });
    expect((await patch(id, { acceptance: { contactId: null } })).body.acceptance.contactId).toBeNull();
  });

  it('cannot be added to a closed project', async () => {
    await act(api, `${PROJECTS}/${projectId}`, 'cancel', { reason: 'x' });
    expect(await api.post(MILESTONES, { name: 'x', projectId })).toMatchObject({
      status: 409,
      body: { code: 'record_locked' },
    });
  });
});
