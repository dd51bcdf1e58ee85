import type { ShownCandidate } from '#src/areas/talent/candidates/candidate.js';
import { AUDITED } from '../../harness/audit.js';
import type { Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, APPLICATIONS, CANDIDATES, makeApplication, makeCandidate, onCandidate, openJob } from './talent-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
let api: Client;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
  ({ api } = tenant);
});
afterAll(() => platform.close());

const read = async (id: string) => (await api.get<ShownCandidate>(`${CANDIDATES}/${id}`)).body;

async function idsOf(query: string, as: Client = api, path = CANDIDATES): Promise<string[]> {
  const answer = await as.get<{ data: { id: string }[] }>(`${path}?${query}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data.map(({ id }) => id);
}

describe('a candidate', () => {
  it('needs only a name, and gets a general application', async () => {
    const candidate = await makeCandidate(api, { name: 'Grace Hopper' });
    expect(candidate).toMatchObject({
      object: 'talent.candidate',
      reference: expect.stringMatching(/^CAND-\d{6}$/) as string,
      name: 'Grace Hopper',
      status: 'active',
      stage: 'applied',
      jobId: null,
      source: 'other',
      rating: null,
      isPrivate: false,
      salaryExpectation: null,
    });
    const { data } = (await api.get<{ data: object[] }>(`${APPLICATIONS}?candidateId=${candidate.id}`)).body;
    expect(data).toMatchObject([
      { id: candidate.applicationId, candidateId: candidate.id, jobId: null, stage: 'applied', status: 'active' },
    ]);
  });

  it('is named by first and last name, and is rejected without a name', async () => {
    expect(await makeCandidate(api, { name: undefined, firstName: 'Alan', lastName: 'Turing' })).toMatchObject({
      name: 'Alan Turing',
      firstName: 'Alan',
    });
    expect(await api.post(CANDIDATES, { email: 'nobody@example.com' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/name', code: 'required' }] },
    });
  });

  it('starts in the first stage of the job applied for', async () => {
    const job = await openJob(api);
    const candidate = await makeCandidate(api, { jobId: job.id });
    expect(candidate).toMatchObject({ jobId: job.id, stage: 'applied' });
    expect((await api.get(`${APPLICATIONS}/${candidate.applicationId}`)).body).toMatchObject({
      jobId: job.id,
      name: 'Engineer',
    });
  });

  it('keeps nested members that a PATCH omits', async () => {
    const { id } = await makeCandidate(api, { location: { country: 'DE', city: 'Berlin' } });
    const { body } = await api.patch(`${CANDIDATES}/${id}`, { location: { city: 'Bonn' } });
    expect(body).toMatchObject({ location: { country: 'DE', city: 'Bonn', region: null, remote: null } });
  });
});

describe('the e-mail address', () => {
  it('belongs to one active candidate, ignoring case', async () => {
    const { id } = await makeCandidate(api, { email: 'Ada@Example.com' });
    expect(await api.post(CANDIDATES, { name: 'Other', email: 'ada@example.COM' })).toMatchObject({
      status: 409,
      body: { code: 'duplicate', field: 'email', existingId: id },
    });
    const other = await makeCandidate(api, { email: 'other@example.com' });
    expect(await api.patch(`${CANDIDATES}/${other.id}`, { email: 'ada@example.com' })).toMatchObject({
      status: 409,
      body: { code: 'duplicate', existingId: id },
    });
  });

  it('is available while the candidate is archived or deleted, and taken again when restored', async () => {
    const { id } = await makeCandidate(api, { email: 'free@example.com' });
    await act(api, `${CANDIDATES}/${id}`, 'archive');
    await makeCandidate(api, { email: 'free@example.com' });
    expect(await onCandidate(api, id, 'unarchive')).toMatchObject({ status: 409, body: { code: 'duplicate' } });
  });

  it('is assigned to one of many candidates created concurrently', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => api.post(CANDIDATES, { name: 'Race', email: 'race@example.com' })),
    );
    const winner = answers.find(({ status }) => status === 201)!;
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { status, body } of answers)
      if (status !== 201)
        expect({ status, body }).toMatchObject({ status: 409, body: { existingId: winner.body['id'] } });
    expect(await idsOf('q=race%40example.com')).toHaveLength(1);
  });
});

describe('the salary expectation of a candidate', () => {
  const salaryExpectation = { minMinor: 100, maxMinor: 200, currency: 'EUR', period: 'year' };

  it('needs a permission to read and write, and appears in no event or audit entry', async () => {
    const { id } = await makeCandidate(api, { salaryExpectation });
    expect(await read(id)).toMatchObject({ salaryExpectation });
    const plain = await platform.key(tenant, ['candidates:read', 'candidates:write']);
    expect((await plain.get(`${CANDIDATES}/${id}`)).body).not.toHaveProperty('salaryExpectation');
    expect((await plain.get(`${CANDIDATES}?ids=${id}`)).text).not.toContain('salaryExpectation');
    expect(await plain.patch(`${CANDIDATES}/${id}`, { salaryExpectation: null })).toMatchObject({
      status: 403,
      body: { code: 'field_forbidden' },
    });
    await api.patch(`${CANDIDATES}/${id}`, { salaryExpectation: { ...salaryExpectation, maxMinor: 300_017 } });
    const written = await asAdmin<{ text: string }>(
      platform.database,
      `select envelope::text as text from data.events where tenant_id = $1 union all
       select ${AUDITED} from data.audit_log where tenant_id = $1`,
      [tenant.id],
    );
    expect(written.filter(({ text }) => text.includes('300017') || text.includes('minMinor'))).toEqual([]);
  });

  it('is a valid range', async () => {
    const range = { ...salaryExpectation, maxMinor: 99 };
    expect(await api.post(CANDIDATES, { name: 'x', salaryExpectation: range })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/salaryExpectation/maxMinor' }] },
    });
  });
});

describe('lists', () => {
  it('support every documented filter and sort field', async () => {
    const own = await platform.tenant();
    const job = await openJob(own.api);
    const first = await makeCandidate(own.api, {
      name: 'B',
      jobId: job.id,
      source: 'referral',
      skills: ['PostgreSQL', 'Rust'],
      tags: ['Hot'],
      headline: 'Writes compilers',
      consent: { basis: 'consent', expiresAt: '2030-01-01T00:00:00Z' },
    });
    const second = await makeCandidate(own.api, { name: 'A' });
    await act(own.api, `${CANDIDATES}/${first.id}`, 'move', { stage: 'screening' });
    await act(own.api, `${CANDIDATES}/${second.id}`, 'withdraw', { reason: 'x' });
    const found = (query: string) => idsOf(query, own.api);
    for (const query of [
      'status=active',
      'stage=screening',
      `jobId=${job.id}`,
      'jobId[isNull]=false',
      'source=referral',
      'skill=postgresql',
      'tag=hot',
      'consentExpiresBefore=2030-06-01T00:00:00Z',
      'q=compil',
      'q=rust',
      `ids=${first.id}`,
    ])
      expect({ query, ids: await found(query) }).toEqual({ query, ids: [first.id] });
    for (const query of [
      'status=withdrawn',
      'skill[ne]=rust',
      'stage[ne]=screening',
      'rating[isNull]=true&jobId[isNull]=true',
    ])
      expect({ query, ids: await found(query) }).toEqual({ query, ids: [second.id] });
    const both = 'appliedAt[gte]=2020-01-01T00:00:00Z&stageEnteredAt[gt]=2020-01-01T00:00:00Z';
    expect(await found(`${both}&sort=name`)).toEqual([second.id, first.id]);
    expect(await found('sort=-name')).toEqual([first.id, second.id]);
    expect(await found('sort=createdAt')).toEqual([first.id, second.id]);
    expect(await found('sort=stageEnteredAt')).toEqual([first.id, second.id]);
    expect(await found('sort=rating,name')).toEqual([second.id, first.id]);
    expect(await found('consentExpiresBefore=2029-01-01T00:00:00Z')).toEqual([]);
  });

  it('of applications include all applications of candidates that are not deleted', async () => {
    const own = await platform.tenant();
    const job = await openJob(own.api);
    const kept = await makeCandidate(own.api);
    const more = await makeApplication(own.api, kept.id, { jobId: job.id, source: 'agency' });
    const gone = await makeCandidate(own.api, { jobId: job.id });
    await own.api.delete(`${CANDIDATES}/${gone.id}`);
    const found = (query: string) => idsOf(query, own.api, APPLICATIONS);
    expect(await found('sort=createdAt')).toEqual([kept.applicationId, more.id]);
    expect(await found(`jobId=${job.id}`)).toEqual([more.id]);
    expect(await found('source=agency')).toEqual([more.id]);
    expect(await found(`candidateId=${gone.id}`)).toEqual([]);
    expect((await own.api.get(`${APPLICATIONS}/${gone.applicationId}`)).status).toBe(404);
  });
});

describe('a private candidate', () => {
  it('is visible to the hiring team only: list, item, application, change', async () => {
    const owner = await platform.member(tenant, 'Owner');
    const manager = await platform.member(tenant, 'Manager');
    const recruiter = await platform.member(tenant, 'Recruiter');
    const stranger = await platform.member(tenant, 'Stranger');
    const job = await openJob(api, { hiringManagerId: manager.id, recruiterIds: [recruiter.id] });
    const { id, applicationId } = await makeCandidate(owner.api, { jobId: job.id, isPrivate: true, name: 'Secret' });
    for (const { api: as } of [owner, manager, recruiter]) {
      expect((await as.get(`${CANDIDATES}/${id}`)).status).toBe(200);
      expect((await as.get(`${APPLICATIONS}/${applicationId}`)).status).toBe(200);
    }
    const { api: other } = stranger;
    for (const answer of [
      await other.get(`${CANDIDATES}/${id}`),
      await other.get(`${APPLICATIONS}/${applicationId}`),
      await other.patch(`${CANDIDATES}/${id}`, { headline: 'x' }),
      await other.delete(`${CANDIDATES}/${id}`),
      await other.post(`${CANDIDATES}/${id}/move`, { stage: 'screening' }),
      await other.post(`${CANDIDATES}/${id}/merge`, { intoId: (await makeCandidate(other)).id }),
    ])
      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await idsOf('q=secret', other)).toEqual([]);
    expect(await idsOf(`candidateId=${id}`, other, APPLICATIONS)).toEqual([]);
    const visible = await makeCandidate(other);
    expect((await other.post(`${CANDIDATES}/${visible.id}/merge`, { intoId: id })).status).toBe(400);
    expect((await other.post(APPLICATIONS, { candidateId: id })).status).toBe(400);
    expect((await other.post('/api/v1/talent/offers', { applicationId })).status).toBe(400);
  });

  it('is not revealed by an e-mail address', async () => {
    const owner = await platform.member(tenant, 'Owner');
    const stranger = await platform.member(tenant, 'Stranger');
    await makeCandidate(owner.api, { isPrivate: true, email: 'hidden@example.com' });
    const { status, body } = await stranger.api.post(CANDIDATES, { name: 'x', email: 'hidden@example.com' });
    expect({ status, existingId: body['existingId'] }).toEqual({ status: 409, existingId: undefined });
  });
});
