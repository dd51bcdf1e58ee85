import type { ShownApplication } from '#src/areas/talent/applications/application.js';
import type { ShownCandidate } from '#src/areas/talent/candidates/candidate.js';
import type { ShownJob } from '#src/areas/talent/jobs/job.js';
import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { eventsOf } from '../../harness/written.js';
import {
  acceptedOffer,
  act,
  APPLICATIONS,
  CANDIDATES,
  JOBS,
  makeApplication,
  makeCandidate,
  makeOffer,
  OFFERS,
  onApplication,
  onCandidate,
  openJob,
  tally,
} from './talent-calls.js';

/** Offers and hires. */
let platform: TestPlatform;
let tenant: TestTenant;
let api: Client;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
  ({ api } = tenant);
});
afterAll(() => platform.close());

const FORCED = { startDate: '2027-01-04', force: true };
const jobOf = async (id: string) => (await api.get<ShownJob>(`${JOBS}/${id}`)).body;
const candidateOf = async (id: string) => (await api.get<ShownCandidate>(`${CANDIDATES}/${id}`)).body;

describe('a hire', () => {
  it('requires an accepted offer, fills an opening and emits a complete event', async () => {
    const job = await openJob(api, { openings: 2 });
    const { id, applicationId } = await makeCandidate(api, { jobId: job.id });
    await acceptedOffer(api, applicationId!, { jobTitle: 'Staff engineer', startDate: '2027-02-01' });
    const hired = await act<ShownCandidate>(api, `${CANDIDATES}/${id}`, 'hire', { startDate: '2027-01-04' });
    const said = {
      applicationId,
      startDate: '2027-01-04',
      jobTitle: 'Staff engineer',
      departmentId: null,
      managerId: null,
    };
    expect(hired).toMatchObject({ status: 'hired', stage: 'hired', ...said });
    expect(hired.hiredAt).not.toBeNull();
    expect(await jobOf(job.id)).toMatchObject({ filledCount: 1, status: 'open' });
    const event = (await eventsOf(platform, tenant, id)).at(-1)!;
    expect(event).toMatchObject({ type: 'talent.candidate.hired', data: said });
    const application = (await eventsOf(platform, tenant, applicationId!)).at(-1)!;
    expect(application.type).toBe('talent.application.hired');
  });

  it('has the same effect on the application', async () => {
    const job = await openJob(api);
    const { id, applicationId } = await makeCandidate(api, { jobId: job.id });
    await act(api, `${APPLICATIONS}/${applicationId}`, 'hire', { ...FORCED, jobTitle: 'Captain' });
    expect(await candidateOf(id)).toMatchObject({ status: 'hired', jobTitle: 'Captain', startDate: '2027-01-04' });
    const event = (await eventsOf(platform, tenant, id)).at(-1)!;
    expect(event).toMatchObject({ type: 'talent.candidate.hired', data: { jobTitle: 'Captain', applicationId } });
    expect(await jobOf(job.id)).toMatchObject({ filledCount: 1, status: 'filled' });
  });

  it('without an accepted offer needs force and its permission', async () => {
    const { id, applicationId } = await makeCandidate(api);
    const plain = { startDate: '2027-01-04' };
    expect(await onCandidate(api, id, 'hire', plain)).toMatchObject({ status: 409, body: { code: 'offer_missing' } });
    await makeOffer(api, applicationId!);
    expect(await onCandidate(api, id, 'hire', plain)).toMatchObject({ status: 409, body: { code: 'offer_missing' } });
    const hirer = await platform.key(tenant, ['candidates:read', 'candidates:hire', 'candidates:write']);
    for (const answer of [
      await onCandidate(hirer, id, 'hire', FORCED),
      await onApplication(hirer, applicationId!, 'hire', FORCED),
      await hirer.patch(`${CANDIDATES}/${id}`, { status: 'hired', ...FORCED }),
    ])
      expect(answer).toMatchObject({ status: 403, body: { requiredPermission: 'candidates:hire-without-offer' } });
    expect((await onCandidate(api, id, 'hire', FORCED)).status).toBe(200);
    expect(
      (await api.get<{ data: { status: string }[] }>(`${OFFERS}?applicationId=${applicationId}`)).body.data,
    ).toMatchObject([{ status: 'withdrawn' }]);
  });

  it('withdraws the other applications of the candidate', async () => {
    const [one, two] = [await openJob(api), await openJob(api)];
    const { id, applicationId } = await makeCandidate(api, { jobId: one.id });
    const second = await makeApplication(api, id, { jobId: two.id });
    await act(api, `${APPLICATIONS}/${applicationId}`, 'hire', FORCED);
    const other = (await api.get<ShownApplication>(`${APPLICATIONS}/${second.id}`)).body;
    expect(other).toMatchObject({ status: 'withdrawn', hiredAt: null });
    expect(await candidateOf(id)).toMatchObject({ status: 'hired', applicationId });
  });

  it('never exceeds the openings under concurrent requests', async () => {
    for (const openings of [1, 3]) {
      const job = await openJob(api, { openings });
      const candidates = await Promise.all(Array.from({ length: 8 }, () => makeCandidate(api, { jobId: job.id })));
      const answers = await Promise.all(
        candidates.map(({ id, applicationId }, i) =>
          i % 2 === 0 ? onCandidate(api, id, 'hire', FORCED) : onApplication(api, applicationId!, 'hire', FORCED),
        ),
      );
      expect(tally(answers)).toEqual({ 200: openings, 409: 8 - openings });
      expect(await jobOf(job.id)).toMatchObject({ filledCount: openings, status: 'filled' });
      const { data } = (await api.get<{ data: object[] }>(`${APPLICATIONS}?jobId=${job.id}&status=hired`)).body;
      expect(data).toHaveLength(openings);
    }
  });

  it('happens once for a candidate hired concurrently on two applications', async () => {
    for (let round = 0; round < 4; round++) {
      const [one, two] = [await openJob(api), await openJob(api)];
      const { id, applicationId } = await makeCandidate(api, { jobId: one.id });
      const second = await makeApplication(api, id, { jobId: two.id });
      const answers = await Promise.all([
        onApplication(api, applicationId!, 'hire', FORCED),
        onApplication(api, second.id, 'hire', FORCED),
      ]);
      expect(tally(answers)).toEqual({ 200: 1, 409: 1 });
      const jobs = [await jobOf(one.id), await jobOf(two.id)];
      expect(jobs.reduce((sum, { filledCount }) => sum + filledCount, 0)).toBe(1);
    }
  });

  it('prevents reducing the openings below the hires', async () => {
    const job = await openJob(api, { openings: 2 });
    const { id } = await makeCandidate(api, { jobId: job.id });
    await act(api, `${CANDIDATES}/${id}`, 'hire', FORCED);
    expect(await api.patch(`${JOBS}/${job.id}`, { openings: 1 })).toMatchObject({ status: 200 });
    const next = await makeCandidate(api, { jobId: job.id });
    expect(await onCandidate(api, next.id, 'hire', FORCED)).toMatchObject({
      status: 409,
      body: { code: 'job_not_open' },
    });
    const third = await openJob(api, { openings: 3 });
    for (let i = 0; i < 2; i++)
      await act(api, `${CANDIDATES}/${(await makeCandidate(api, { jobId: third.id })).id}`, 'hire', FORCED);
    expect(await api.patch(`${JOBS}/${third.id}`, { openings: 1 })).toMatchObject({ status: 400 });
  });
});

describe('an offer', () => {
  it('is the only open one of its application under concurrent requests', async () => {
    const { applicationId } = await makeCandidate(api);
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.post(OFFERS, { applicationId })));
    expect(tally(answers)).toEqual({ 201: 1, 409: 7 });
    const refused = answers.find(({ status }) => status === 409)!;
    expect(refused.body).toMatchObject({ code: 'duplicate', field: 'applicationId' });
    const { id } = answers.find(({ status }) => status === 201)!.body;
    await act(api, `${OFFERS}/${String(id)}`, 'withdraw');
    await acceptedOffer(api, applicationId!);
    expect((await api.post(OFFERS, { applicationId })).status).toBe(409);
  });

  it('is created only for an open application, even under a concurrent rejection', async () => {
    for (let round = 0; round < 4; round++) {
      const { id, applicationId } = await makeCandidate(api);
      const [made] = await Promise.all([
        api.post(OFFERS, { applicationId }),
        onCandidate(api, id, 'reject', { rejectReason: 'No' }),
      ]);
      const { data } = (await api.get<{ data: { status: string }[] }>(`${OFFERS}?applicationId=${applicationId}`)).body;
      if (made.status === 201) expect(data).toMatchObject([{ status: 'withdrawn' }]);
      else expect({ made, data }).toMatchObject({ made: { body: { code: 'application_closed' } }, data: [] });
    }
  });

  it('is not sent to a candidate who must not be contacted', async () => {
    const { id, applicationId } = await makeCandidate(api);
    const offer = await makeOffer(api, applicationId!);
    for (const action of ['submit', 'approve']) await act(api, `${OFFERS}/${offer.id}`, action);
    await api.patch(`${CANDIDATES}/${id}`, { consent: { doNotContact: true } });
    expect(await api.post(`${OFFERS}/${offer.id}/send`)).toMatchObject({
      status: 409,
      body: { code: 'do_not_contact' },
    });
    const interview = { applicationId, startAt: '2026-12-01T09:00:00Z', endAt: '2026-12-01T10:00:00Z' };
    expect(await api.post('/api/v1/talent/interviews', interview)).toMatchObject({
      status: 409,
      body: { code: 'do_not_contact' },
    });
  });

  it('cannot be accepted after it expires, nor changed once it was sent', async () => {
    const { applicationId } = await makeCandidate(api);
    const expiresAt = new Date(platform.clock.nowMs() + 3_600_000).toISOString();
    const { id } = await makeOffer(api, applicationId!, {
      expiresAt,
      pay: { amountMinor: 1, currency: 'EUR', period: 'year' },
    });
    for (const action of ['submit', 'approve', 'send']) await act(api, `${OFFERS}/${id}`, action);
    expect(await api.patch(`${OFFERS}/${id}`, { pay: null })).toMatchObject({
      status: 409,
      body: { code: 'record_locked' },
    });
    expect((await api.patch(`${OFFERS}/${id}`, { tags: ['x'] })).status).toBe(200);
    platform.clock.advance(3_600_001);
    expect(await api.post(`${OFFERS}/${id}/accept`)).toMatchObject({ status: 409, body: { code: 'offer_expired' } });
    expect((await api.post(`${OFFERS}/${id}/expire`)).status).toBe(200);
  });

  it('is either accepted or withdrawn', async () => {
    for (let round = 0; round < 4; round++) {
      const { id, applicationId } = await makeCandidate(api);
      const offer = await makeOffer(api, applicationId!);
      for (const action of ['submit', 'approve', 'send']) await act(api, `${OFFERS}/${offer.id}`, action);
      const [accepted, declined] = await Promise.all([
        api.post(`${OFFERS}/${offer.id}/accept`),
        api.post(`${OFFERS}/${offer.id}/decline`),
        onCandidate(api, id, 'withdraw', { reason: 'No' }),
      ]);
      expect([accepted, declined].filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
      const { status } = (await api.get<{ status: string }>(`${OFFERS}/${offer.id}`)).body;
      expect(status === 'accepted').toBe(accepted.status === 200);
    }
  });
});
