import type { ShownApplication } from '#src/areas/talent/applications/application.js';
import type { ShownCandidate } from '#src/areas/talent/candidates/candidate.js';
import type { ShownJob } from '#src/areas/talent/jobs/job.js';
import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { eventsOf } from '../../harness/written.js';
import {
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
} from './talent-calls.js';

/** Transitions of applications and their candidates. */
let platform: TestPlatform;
let tenant: TestTenant;
let api: Client;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
  ({ api } = tenant);
});
afterAll(() => platform.close());

const candidateOf = async (id: string) => (await api.get<ShownCandidate>(`${CANDIDATES}/${id}`)).body;
const applicationOf = async (id: string | null) => (await api.get<ShownApplication>(`${APPLICATIONS}/${id}`)).body;
const verbsOf = async (id: string) => (await eventsOf(platform, tenant, id)).map(({ type }) => type.split('.').pop());

const STANDING = ['jobId', 'status', 'stage', 'stageEnteredAt', 'appliedAt', 'rejectReason', 'hiredAt'] as const;
/** @throws when the candidate does not match its application. */
async function expectMirrored(candidateId: string, applicationId: string): Promise<void> {
  const [candidate, application] = [await candidateOf(candidateId), await applicationOf(applicationId)];
  expect(candidate.applicationId).toBe(applicationId);
  for (const field of STANDING) expect({ field, is: candidate[field] }).toEqual({ field, is: application[field] });
}

describe('a candidate mirrors the application last changed', () => {
  it('whichever of the two is changed', async () => {
    const job = await openJob(api);
    const { id, applicationId } = await makeCandidate(api, { jobId: job.id });
    const first = applicationId!;
    await act(api, `${CANDIDATES}/${id}`, 'move', { stage: 'screening' });
    await expectMirrored(id, first);
    await act(api, `${APPLICATIONS}/${first}`, 'move', { stage: 'interview' });
    await expectMirrored(id, first);
    await act(api, `${CANDIDATES}/${id}`, 'reject', { rejectReason: 'No fit' });
    await expectMirrored(id, first);
    await act(api, `${APPLICATIONS}/${first}`, 'reopen');
    await expectMirrored(id, first);
    expect(await candidateOf(id)).toMatchObject({ status: 'active', stage: 'interview', rejectReason: null });
    const verbs = ['stage_changed', 'stage_changed', 'rejected', 'reopened'];
    expect(await verbsOf(id)).toEqual(['created', ...verbs]);
    expect(await verbsOf(first)).toEqual(['created', ...verbs]);
  });

  it('with several applications', async () => {
    const job = await openJob(api);
    const { id, applicationId: general } = await makeCandidate(api);
    const second = await makeApplication(api, id, { jobId: job.id });
    await expectMirrored(id, second.id);
    await act(api, `${APPLICATIONS}/${general}`, 'move', { stage: 'screening' });
    await expectMirrored(id, general!);
    await act(api, `${CANDIDATES}/${id}`, 'withdraw', { reason: 'Changed plans' });
    expect(await applicationOf(general)).toMatchObject({ status: 'withdrawn', stage: 'withdrawn' });
    expect(await applicationOf(second.id)).toMatchObject({ status: 'active', stage: 'applied' });
  });

  it('also by PATCH of stage and status', async () => {
    const { id, applicationId } = await makeCandidate(api);
    const patch = (body: object) => api.patch<ShownCandidate>(`${CANDIDATES}/${id}`, body);
    expect((await patch({ stage: 'interview' })).body).toMatchObject({ stage: 'interview', status: 'active' });
    expect((await patch({ status: 'rejected', rejectReason: 'No' })).body).toMatchObject({ stage: 'rejected' });
    expect((await patch({ status: 'active', stage: 'screening' })).body).toMatchObject({ stage: 'screening' });
    const other = await api.patch(`${APPLICATIONS}/${applicationId}`, { stage: 'applied' });
    expect(other.body).toMatchObject({ stage: 'applied' });
    await expectMirrored(id, applicationId!);
    expect(await patch({ stage: 'interview', name: 'x' })).toMatchObject({ status: 400 });
    expect(await patch({ jobId: null })).toMatchObject({ status: 400 });
  });

  it('under concurrent changes of both', async () => {
    const { id, applicationId } = await makeCandidate(api);
    const stages = ['screening', 'interview', 'screening', 'interview'];
    const answers = await Promise.all([
      ...stages.map((stage) => onCandidate(api, id, 'move', { stage })),
      ...stages.map((stage) => onApplication(api, applicationId!, 'move', { stage })),
      onCandidate(api, id, 'reject', { rejectReason: 'No' }),
      onApplication(api, applicationId!, 'withdraw', { reason: 'No' }),
    ]);
    for (const { status } of answers) expect([200, 409]).toContain(status);
    await expectMirrored(id, applicationId!);
    const { version } = await candidateOf(id);
    expect((await verbsOf(id)).length).toBe(version);
  });
});

describe('a move', () => {
  it('goes to another open stage of the job', async () => {
    const stages = [
      { key: 'applied', name: 'New', category: 'new' },
      { key: 'trial_day', name: 'Trial day', category: 'active' },
      { key: 'offer', name: 'Offer', category: 'offer' },
      { key: 'hired', name: 'Hired', category: 'hired' },
    ];
    const job = await openJob(api, { stages });
    const { id } = await makeCandidate(api, { jobId: job.id });
    expect(await onCandidate(api, id, 'move', { stage: 'trial_day' })).toMatchObject({ status: 200 });
    expect(await onCandidate(api, id, 'move', { stage: 'screening' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/stage', code: 'unknown_stage' }] },
    });
    for (const stage of ['trial_day', 'hired'])
      expect(await onCandidate(api, id, 'move', { stage })).toMatchObject({
        status: 409,
        body: { code: 'invalid_transition', state: 'active', stage: 'trial_day', action: 'move' },
      });
  });

  it('to the offer stage requires an offer', async () => {
    const { id, applicationId } = await makeCandidate(api);
    expect(await onCandidate(api, id, 'move', { stage: 'offer' })).toMatchObject({
      status: 409,
      body: { code: 'offer_missing' },
    });
    await makeOffer(api, applicationId!);
    expect(await onCandidate(api, id, 'move', { stage: 'offer' })).toMatchObject({ status: 200 });
  });
});

describe('a rejection', () => {
  it('notifies the candidate only if they may be contacted', async () => {
    const silent = await makeCandidate(api, { consent: { doNotContact: true } });
    const body = { rejectReason: 'No', notify: true, notifyAfterHours: 24 };
    for (const answer of [
      await onCandidate(api, silent.id, 'reject', body),
      await onApplication(api, silent.applicationId!, 'reject', body),
      await api.patch(`${CANDIDATES}/${silent.id}`, { status: 'rejected', ...body }),
    ])
      expect(answer).toMatchObject({ status: 409, body: { code: 'do_not_contact' } });
    expect(await candidateOf(silent.id)).toMatchObject({ status: 'active' });
    await act(api, `${CANDIDATES}/${silent.id}`, 'reject', { rejectReason: 'No' });
    const told = await makeCandidate(api);
    await act(api, `${CANDIDATES}/${told.id}`, 'reject', body);
    const { notifyAt, stageEnteredAt } = await applicationOf(told.applicationId);
    expect(Date.parse(notifyAt!) - Date.parse(stageEnteredAt)).toBe(24 * 3_600_000);
  });

  it('withdraws an open offer first', async () => {
    const { id, applicationId } = await makeCandidate(api);
    const offer = await makeOffer(api, applicationId!);
    await act(api, `${CANDIDATES}/${id}`, 'reject', { rejectReason: 'No' });
    expect((await api.get(`${OFFERS}/${offer.id}`)).body).toMatchObject({ status: 'withdrawn' });
  });

  it('can be reversed into the previous stage or another one', async () => {
    const { id, applicationId } = await makeCandidate(api);
    await makeOffer(api, applicationId!);
    await act(api, `${CANDIDATES}/${id}`, 'move', { stage: 'offer' });
    await act(api, `${CANDIDATES}/${id}`, 'reject', { rejectReason: 'No' });
    expect(await act(api, `${CANDIDATES}/${id}`, 'reopen')).toMatchObject({ stage: 'interview' });
    await act(api, `${CANDIDATES}/${id}`, 'withdraw', { reason: 'No' });
    expect(await act(api, `${CANDIDATES}/${id}`, 'reopen', { stage: 'screening' })).toMatchObject({
      stage: 'screening',
    });
  });
});

describe('a job', () => {
  it('accepts applications only while it is open, once per candidate', async () => {
    const draft = (await api.post<ShownJob>(JOBS, { name: 'Later' })).body;
    expect(await api.post(CANDIDATES, { name: 'x', jobId: draft.id })).toMatchObject({
      status: 409,
      body: { code: 'job_not_open' },
    });
    const job = await openJob(api);
    const { id } = await makeCandidate(api, { jobId: job.id });
    expect(await api.post(APPLICATIONS, { candidateId: id, jobId: job.id })).toMatchObject({
      status: 409,
      body: { code: 'duplicate', field: 'jobId' },
    });
    expect(await api.post(APPLICATIONS, { candidateId: id, jobId: draft.id })).toMatchObject({
      status: 409,
      body: { code: 'job_not_open' },
    });
  });

  it('requires a decision on open applications when it is closed', async () => {
    const fates = { keep: 'active', reject: 'rejected', withdraw: 'withdrawn' };
    for (const [openApplications, status] of Object.entries(fates)) {
      const job = await openJob(api);
      const { id, applicationId } = await makeCandidate(api, { jobId: job.id });
      const other = await makeCandidate(api, { jobId: job.id });
      const general = await makeApplication(api, other.id);
      expect((await api.post(`${JOBS}/${job.id}/close`, {})).status).toBe(400);
      await act(api, `${JOBS}/${job.id}`, 'close', { openApplications });
      expect(await candidateOf(id)).toMatchObject({ status });
      await expectMirrored(id, applicationId!);
      expect(await applicationOf(other.applicationId)).toMatchObject({ status });
      await expectMirrored(other.id, general.id);
      if (status === 'rejected') expect(await candidateOf(id)).toMatchObject({ rejectReason: 'The job has ended.' });
    }
  });

  it('that is not open allows no move, reopening or hire', async () => {
    const job = await openJob(api);
    const kept = await makeCandidate(api, { jobId: job.id });
    const rejected = await makeCandidate(api, { jobId: job.id });
    await act(api, `${CANDIDATES}/${rejected.id}`, 'reject', { rejectReason: 'No' });
    await act(api, `${JOBS}/${job.id}`, 'hold');
    const hire = { startDate: '2027-01-04', force: true };
    const refused = async () => {
      for (const answer of [
        await onCandidate(api, kept.id, 'move', { stage: 'screening' }),
        await onApplication(api, kept.applicationId!, 'move', { stage: 'screening' }),
        await onCandidate(api, rejected.id, 'reopen'),
        await onCandidate(api, kept.id, 'hire', hire),
      ])
        expect(answer).toMatchObject({ status: 409, body: { code: 'job_not_open' } });
    };
    await refused();
    await act(api, `${JOBS}/${job.id}`, 'close', { openApplications: 'keep' });
    await refused();
    await act(api, `${CANDIDATES}/${kept.id}`, 'withdraw', { reason: 'Closed' });
  });

  it('is closed either before or after a concurrent move of its applications', async () => {
    for (let round = 0; round < 4; round++) {
      const job = await openJob(api);
      const candidates = await Promise.all(Array.from({ length: 4 }, () => makeCandidate(api, { jobId: job.id })));
      const [closed] = await Promise.all([
        api.post(`${JOBS}/${job.id}/close`, { openApplications: 'reject' }),
        ...candidates.map(({ id }) => onCandidate(api, id, 'move', { stage: 'screening' })),
        ...candidates.map(({ applicationId }) => onApplication(api, applicationId!, 'move', { stage: 'interview' })),
        api.post(CANDIDATES, { name: 'Late', jobId: job.id }),
      ]);
      expect(closed).toMatchObject({ status: 200, body: { status: 'closed' } });
      const { data } = (await api.get<{ data: ShownApplication[] }>(`${APPLICATIONS}?jobId=${job.id}`)).body;
      expect(data.map(({ status }) => status)).toEqual(data.map(() => 'rejected'));
    }
  });

  it('keeps stages in use and the order of categories', async () => {
    const job = await openJob(api);
    const { id } = await makeCandidate(api, { jobId: job.id });
    await act(api, `${CANDIDATES}/${id}`, 'move', { stage: 'screening' });
    const patch = (stages: object[]) => api.patch(`${JOBS}/${job.id}`, { stages });
    const without = job.stages.filter(({ key }) => key !== 'screening');
    expect(await patch(without)).toMatchObject({ status: 409, body: { code: 'in_use' } });
    expect(await patch([...job.stages].reverse())).toMatchObject({ status: 400 });
    expect(await patch([job.stages[0]!, ...job.stages.slice(2, 4)])).toMatchObject({ status: 400 });
    await act(api, `${CANDIDATES}/${id}`, 'move', { stage: 'interview' });
    expect(await patch(without)).toMatchObject({ status: 200 });
  });

  it('moves applications in removed stages to the one that is named, and those in the trash to the first', async () => {
    const job = await openJob(api);
    const [open, trashed] = [await makeCandidate(api, { jobId: job.id }), await makeCandidate(api, { jobId: job.id })];
    for (const { id } of [open, trashed]) await act(api, `${CANDIDATES}/${id}`, 'move', { stage: 'screening' });
    await api.delete(`${CANDIDATES}/${trashed.id}`);
    const stages = job.stages.map((each) => (each.key === 'screening' ? { ...each, key: 'call' } : each));
    for (const moveTo of ['screening', 'offer'])
      expect(await api.patch(`${JOBS}/${job.id}`, { stages, moveTo })).toMatchObject({ status: 400 });
    expect(await api.patch(`${JOBS}/${job.id}`, { stages, moveTo: 'call' })).toMatchObject({ status: 200 });
    expect((await api.get(`${APPLICATIONS}/${open.applicationId}`)).body).toMatchObject({ stage: 'call' });
    expect((await api.get(`${CANDIDATES}/${open.id}`)).body).toMatchObject({ stage: 'call', status: 'active' });
    expect(await act(api, `${CANDIDATES}/${trashed.id}`, 'restore')).toMatchObject({ stage: 'applied' });
    expect((await api.get(`${APPLICATIONS}/${trashed.applicationId}`)).body).toMatchObject({ stage: 'applied' });
  });

  it('is published when it is first both open and public', async () => {
    const job = await openJob(api);
    expect(job.publishedAt).toBeNull();
    const { body } = await api.patch<ShownJob>(`${JOBS}/${job.id}`, { isPublic: true });
    expect(body.publishedAt).not.toBeNull();
    await api.patch(`${JOBS}/${job.id}`, { isPublic: false });
    const again = await api.patch<ShownJob>(`${JOBS}/${job.id}`, { isPublic: true });
    expect(again.body.publishedAt).toBe(body.publishedAt);
  });
});
