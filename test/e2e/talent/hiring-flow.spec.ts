import type { ShownCandidate } from '#src/areas/talent/candidates/candidate.js';
import type { TestTenant } from '../../harness/platform.js';
import { Stage } from '../../worker/stage.js';
import { workerOf } from '../admin/mapping-calls.js';
import { act, CANDIDATES, makeCandidate, makeOffer, OFFERS, openJob } from './talent-calls.js';

/** Tasks of the worker for hiring: mappings as they are without templates, and offers. */
const EMPLOYEES = '/api/v1/people/employees';

let stage: Stage;
let tenant: TestTenant;
let work: () => Promise<void>;
beforeAll(async () => {
  stage = await Stage.open();
  tenant = await stage.platform.tenant();
  work = await workerOf(stage);
});
afterAll(() => stage.close());

const candidateOf = async (id: string) => (await tenant.api.get<ShownCandidate>(`${CANDIDATES}/${id}`)).body;
const employeesOf = async () => (await tenant.api.get<{ data: { id: string }[] }>(EMPLOYEES)).body.data;

describe('a hire', () => {
  it('creates one pending employee, however often its event is processed', async () => {
    const { api } = tenant;
    const manager = (await api.post<{ id: string }>(EMPLOYEES, { name: 'Mary Manager' })).body.id;
    const job = await openJob(api, { name: 'Astronomer' });
    const { id } = await makeCandidate(api, {
      name: 'Caroline Herschel',
      firstName: 'Caroline',
      lastName: 'Herschel',
      email: 'caroline@example.com',
      jobId: job.id,
    });
    const hire = { startDate: '2099-01-05', managerId: manager, force: true };
    await act(api, `${CANDIDATES}/${id}`, 'hire', hire);
    await work();
    const { employeeId } = await candidateOf(id);
    expect((await api.get(`${EMPLOYEES}/${employeeId}`)).body).toMatchObject({
      name: 'Caroline Herschel',
      status: 'pending',
      startDate: '2099-01-05',
      jobTitle: 'Astronomer',
      managerId: manager,
      personalEmail: 'caroline@example.com',
      candidateId: id,
    });
    await stage.sql(
      `update data.automation_runs set state = 'ready', due_at = now(), finished_at = null where tenant_id = $1`,
      [tenant.id],
    );
    await work();
    expect(await employeesOf()).toHaveLength(2);
    expect(await candidateOf(id)).toMatchObject({ employeeId });
  });

  it('creates the employee without a manager who was terminated meanwhile', async () => {
    const { api } = tenant;
    const manager = (await api.post<{ id: string }>(EMPLOYEES, { name: 'Gone', startDate: '2099-01-01' })).body.id;
    const { id } = await makeCandidate(api);
    await act(api, `${CANDIDATES}/${id}`, 'hire', { startDate: '2099-01-05', managerId: manager, force: true });
    expect((await api.delete(`${EMPLOYEES}/${manager}`)).status).toBe(200);
    await work();
    const { employeeId } = await candidateOf(id);
    expect((await api.get(`${EMPLOYEES}/${employeeId}`)).body).toMatchObject({ managerId: null, status: 'pending' });
  });
});

describe('an offer', () => {
  it('expires when unanswered, and never once answered', async () => {
    const { api } = tenant;
    const expiresAt = new Date(stage.platform.clock.nowMs() + 60_000).toISOString();
    const send = async () => {
      const { applicationId } = await makeCandidate(api);
      const { id } = await makeOffer(api, applicationId!, { expiresAt });
      for (const action of ['submit', 'approve', 'send']) await act(api, `${OFFERS}/${id}`, action);
      return id;
    };
    const [unanswered, accepted] = [await send(), await send()];
    await act(api, `${OFFERS}/${accepted}`, 'accept');
    await work();
    expect((await api.get(`${OFFERS}/${unanswered}`)).body).toMatchObject({ status: 'sent' });
    stage.platform.clock.advance(60_001);
    await work();
    expect((await api.get(`${OFFERS}/${unanswered}`)).body).toMatchObject({ status: 'expired' });
    expect((await api.get(`${OFFERS}/${accepted}`)).body).toMatchObject({ status: 'accepted' });
  });
});
