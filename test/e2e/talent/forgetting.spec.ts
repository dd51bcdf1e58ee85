import { runAsAutomation } from '#libs/automation/automation-scope.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import type { ShownApplication } from '#src/areas/talent/applications/application.js';
import type { ShownCandidate } from '#src/areas/talent/candidates/candidate.js';
import { CandidatesService } from '#src/areas/talent/candidates/candidates.service.js';
import { AUDITED } from '../../harness/audit.js';
import type { Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import {
  act,
  APPLICATIONS,
  CANDIDATES,
  INTERVIEWS,
  makeApplication,
  makeCandidate,
  makeOffer,
  OFFERS,
  onCandidate,
  openJob,
  SCORECARDS,
} from './talent-calls.js';

/** Merging and anonymising candidates. */
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
const merge = (id: string, intoId: string) => api.post<ShownCandidate>(`${CANDIDATES}/${id}/merge`, { intoId });
const applicationsOf = async (id: string) =>
  (await api.get<{ data: ShownApplication[] }>(`${APPLICATIONS}?candidateId=${id}&sort=createdAt`)).body.data;

describe('a merge', () => {
  it('moves applications and addresses, and archives the candidate permanently', async () => {
    const job = await openJob(api);
    const into = await makeCandidate(api, { email: 'into@example.com' });
    const from = await makeCandidate(api, { email: 'from@example.com', phones: ['+49 30 1'], jobId: job.id });
    await act(api, `${CANDIDATES}/${from.id}`, 'move', { stage: 'interview' });
    expect(await merge(from.id, into.id)).toMatchObject({
      status: 200,
      body: { id: from.id, mergedIntoId: into.id, archivedAt: expect.any(String) as string },
    });
    expect((await applicationsOf(into.id)).map(({ id }) => id)).toEqual([into.applicationId, from.applicationId]);
    expect(await applicationsOf(from.id)).toEqual([]);
    expect(await candidateOf(into.id)).toMatchObject({
      applicationId: from.applicationId,
      stage: 'interview',
      jobId: job.id,
      emails: ['from@example.com'],
      phones: ['+49 30 1'],
    });
    for (const action of ['unarchive', 'move', 'anonymize', 'reject'])
      expect((await onCandidate(api, from.id, action, bodyOf(action))).status).toBe(409);
    expect(await merge(from.id, into.id)).toMatchObject({ status: 409, body: { code: 'record_locked' } });
  });

  it('is followed: address and external ids of the merged candidate resolve to the remaining one', async () => {
    const externalRefs = [{ system: 'crm', id: '7', url: null }];
    const into = await makeCandidate(api, { email: 'stays@example.com' });
    const from = await makeCandidate(api, { email: 'goes@example.com', externalRefs });
    const last = await makeCandidate(api, { email: 'last@example.com' });
    await merge(from.id, into.id);
    expect(await candidateOf(into.id)).toMatchObject({ emails: ['goes@example.com'], externalRefs });
    await merge(into.id, last.id);
    expect(await candidateOf(last.id)).toMatchObject({ externalRefs });
    const taken = { status: 409, body: { code: 'duplicate', field: 'email', existingId: last.id } };
    expect(await api.post(CANDIDATES, { name: 'third', email: 'Goes@example.com' })).toMatchObject(taken);
    const other = await makeCandidate(api, { email: 'other@example.com' });
    expect(await api.patch(`${CANDIDATES}/${other.id}`, { email: 'goes@example.com' })).toMatchObject(taken);
    expect((await api.patch(`${CANDIDATES}/${last.id}`, { email: 'goes@example.com' })).status).toBe(200);
  });

  it('keeps the stricter restrictions and the latest consent', async () => {
    const consent = (year: number, doNotContact: boolean) => ({
      ...{ basis: 'consent', givenAt: `${year}-01-01T00:00:00.000Z`, expiresAt: `${year + 9}-01-01T00:00:00.000Z` },
      doNotContact,
    });
    const first = await makeCandidate(api, { isPrivate: true, consent: consent(2023, true) });
    const second = await makeCandidate(api, { consent: consent(2022, false) });
    const third = await makeCandidate(api, { consent: consent(2024, false) });
    const last = await makeCandidate(api);
    expect((await merge(first.id, second.id)).status).toBe(200);
    expect(await candidateOf(second.id)).toMatchObject({ isPrivate: true, consent: consent(2023, true) });
    expect((await merge(second.id, third.id)).status).toBe(200);
    expect(await candidateOf(third.id)).toMatchObject({ isPrivate: true, consent: consent(2024, true) });
    expect((await merge(third.id, last.id)).status).toBe(200);
    expect(await candidateOf(last.id)).toMatchObject({ isPrivate: true, consent: consent(2024, true) });
  });

  it('leaves one open application for a job that both applied for', async () => {
    const job = await openJob(api);
    const [into, from] = [await makeCandidate(api, { jobId: job.id }), await makeCandidate(api, { jobId: job.id })];
    expect((await merge(from.id, into.id)).status).toBe(200);
    expect((await applicationsOf(into.id)).map(({ status }) => status).sort()).toEqual(['active', 'withdrawn']);
  });

  it('is rejected into itself, into an unknown candidate, and from a hired, archived or anonymised one', async () => {
    const { id } = await makeCandidate(api);
    expect((await merge(id, id)).status).toBe(400);
    expect(await merge(id, '01890000-0000-7000-8000-000000000000')).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/intoId', code: 'unknown_reference' }] },
    });
    const hired = await makeCandidate(api);
    await act(api, `${CANDIDATES}/${hired.id}`, 'hire', { startDate: '2027-01-04', force: true });
    expect((await merge(hired.id, id)).status).toBe(409);
    const archived = await makeCandidate(api);
    await act(api, `${CANDIDATES}/${archived.id}`, 'archive');
    const anonymous = await makeCandidate(api);
    await act(api, `${CANDIDATES}/${anonymous.id}`, 'anonymize');
    for (const other of [archived, anonymous]) {
      expect((await merge(other.id, id)).status).toBe(409);
      expect((await merge(id, other.id)).status).toBe(409);
    }
    expect((await merge(id, hired.id)).status).toBe(200);
    expect(await candidateOf(hired.id)).toMatchObject({ status: 'hired', applicationId: hired.applicationId });
  });

  it('in both directions concurrently happens in one direction', async () => {
    for (let round = 0; round < 4; round++) {
      const [a, b] = [await makeCandidate(api), await makeCandidate(api)];
      const answers = await Promise.all([merge(a.id, b.id), merge(b.id, a.id)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      const merged = [await candidateOf(a.id), await candidateOf(b.id)].filter(
        ({ mergedIntoId }) => mergedIntoId !== null,
      );
      expect(merged).toHaveLength(1);
      expect((await applicationsOf(merged[0]!.mergedIntoId!)).length).toBe(2);
    }
  });
});

function bodyOf(action: string): object | undefined {
  return { move: { stage: 'screening' }, reject: { rejectReason: 'No' } }[action];
}

const PHONE = '+49 30 7654321';

/** Sets every field of a candidate to the same word, apart from the telephone number. */
async function fullCandidate(word: string): Promise<ShownCandidate> {
  const { id: reviewer } = await platform.member(tenant, 'Reviewer');
  const candidate = await makeCandidate(api, {
    name: `Name ${word}`,
    firstName: word,
    lastName: word,
    email: `${word}@example.com`,
    emails: [`${word}2@example.com`],
    phones: [PHONE],
    links: [word],
    headline: word,
    currentCompany: word,
    currentTitle: word,
    location: { city: word, country: 'DE' },
    skills: [word],
    sourceDetail: word,
    coverLetter: word,
    salaryExpectation: { minMinor: 1, currency: 'EUR', period: 'year' },
    tags: [word],
    externalRefs: [{ system: 'ats', id: word }],
    consent: { basis: 'consent' },
  });
  const { applicationId } = candidate;
  await api.patch(`${APPLICATIONS}/${applicationId}`, { name: word, tags: [word] });
  const times = { startAt: '2026-12-01T09:00:00Z', endAt: '2026-12-01T10:00:00Z' };
  await api.post(INTERVIEWS, { applicationId, name: word, location: word, ...times });
  const card = { applicationId, interviewerId: reviewer, name: word, summary: word, recommendation: 'yes' };
  const ratings = [{ criterion: 'Depth', score: 4, note: word }];
  const { id } = (await api.post<{ id: string }>(SCORECARDS, { ...card, ratings })).body;
  await act(api, `${SCORECARDS}/${id}`, 'submit');
  await makeOffer(api, applicationId!, { name: word });
  return candidate;
}

/** Record tables with a row that contains a text, including its search terms. */
async function tablesWith(word: string): Promise<string[]> {
  const tables = [
    'talent_candidates',
    'talent_applications',
    'talent_interviews',
    'talent_scorecards',
    'talent_offers',
  ];
  const beside = ['talent_candidate_skills', 'record_tags', 'external_refs', 'custom_field_values'];
  const found: string[] = [];
  for (const table of [...tables, ...beside]) {
    const rows = await asAdmin(platform.database, `select 1 from data.${table} x where x::text ilike $1`, [
      `%${word}%`,
    ]);
    if (rows.length > 0) found.push(table);
  }
  return found;
}

describe('an anonymised candidate', () => {
  it('leaves nothing in any record or search except statistics', async () => {
    const { id, applicationId } = await fullCandidate('zanzibar');
    expect(await tablesWith('zanzibar')).toHaveLength(8);
    expect(await tablesWith(PHONE)).toEqual(['talent_candidates']);
    await act(api, `${CANDIDATES}/${id}`, 'anonymize');
    for (const text of ['zanzibar', PHONE]) expect(await tablesWith(text)).toEqual([]);
    expect((await api.get(`${CANDIDATES}?q=zanzibar`)).body['data']).toEqual([]);
    expect(await candidateOf(id)).toMatchObject({
      name: 'Anonymised candidate',
      email: null,
      rating: 4,
      source: 'other',
      stage: 'applied',
      anonymizedAt: expect.any(String) as string,
      salaryExpectation: null,
    });
    const cards = (await api.get<{ data: object[] }>(`${SCORECARDS}?applicationId=${applicationId}`)).body.data;
    expect(cards).toMatchObject([{ score: 4, summary: null, ratings: [{ criterion: 'Depth', score: 4, note: null }] }]);
    expect((await api.get<{ data: object[] }>(`${OFFERS}?applicationId=${applicationId}`)).body.data).toHaveLength(1);
  });

  it('is not named in the event and audit entry of the anonymisation', async () => {
    const { id } = await fullCandidate('quetzal');
    const request = { 'x-request-id': 'req-anonymised-1' };
    const answer = await api.post(`${CANDIDATES}/${id}/anonymize`, undefined, request);
    expect(answer.status).toBe(200);
    const written = await asAdmin<{ text: string }>(
      platform.database,
      `select envelope::text as text from data.events where tenant_id = $1 and envelope::text like '%req-anonymised-1%'
       union all select ${AUDITED} from data.audit_log where tenant_id = $1 and request_id = 'req-anonymised-1'`,
      [tenant.id],
    );
    expect(written.length).toBeGreaterThan(5);
    expect(written.filter(({ text }) => text.includes('quetzal'))).toEqual([]);
  });

  it('accepts no new data, no transition and no second anonymisation', async () => {
    const { id, applicationId } = await makeCandidate(api, { email: 'again@example.com' });
    await act(api, `${CANDIDATES}/${id}`, 'reject', { rejectReason: 'No' });
    await act(api, `${CANDIDATES}/${id}`, 'anonymize');
    for (const answer of [
      await api.patch(`${CANDIDATES}/${id}`, { name: 'Ada' }),
      await onCandidate(api, id, 'reopen'),
      await api.post(`${APPLICATIONS}/${applicationId}/reopen`),
      await onCandidate(api, id, 'anonymize'),
      await api.post(APPLICATIONS, { candidateId: id }),
    ])
      expect(answer).toMatchObject({ status: 409, body: { code: 'record_locked' } });
    await makeCandidate(api, { email: 'again@example.com' });
  });

  it('is never a hired one', async () => {
    const { id } = await makeCandidate(api);
    await act(api, `${CANDIDATES}/${id}`, 'hire', { startDate: '2027-01-04', force: true });
    expect(await onCandidate(api, id, 'anonymize')).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition' },
    });
  });
});

describe('a consent', () => {
  it('expires by default after the months in the settings', async () => {
    const { consent } = await makeCandidate(api, { consent: { basis: 'consent', givenAt: '2026-01-31T12:00:00Z' } });
    expect(consent).toEqual({
      basis: 'consent',
      givenAt: '2026-01-31T12:00:00.000Z',
      expiresAt: '2028-01-31T12:00:00.000Z',
      doNotContact: false,
    });
    const own = { basis: 'consent', expiresAt: '2027-05-01T00:00:00+02:00' };
    expect((await makeCandidate(api, { consent: own })).consent).toMatchObject({
      expiresAt: '2027-04-30T22:00:00.000Z',
    });
  });

  it('that expires ends retention unless there is another legal basis', async () => {
    const soon = new Date(platform.clock.nowMs() + DAY_MS).toISOString();
    const consent = { basis: 'consent', expiresAt: soon };
    const plain = await makeCandidate(api, { consent });
    const interested = await makeCandidate(api, { consent: { ...consent, basis: 'legitimate_interest' } });
    const open = await makeCandidate(api, { consent });
    const hired = await makeCandidate(api, { consent });
    const renewed = await makeCandidate(api, { consent });
    const all = [plain, interested, open, hired, renewed];
    for (const { id } of [plain, interested, renewed])
      await act(api, `${CANDIDATES}/${id}`, 'reject', { rejectReason: 'No' });
    await act(api, `${CANDIDATES}/${hired.id}`, 'hire', { startDate: '2027-01-04', force: true });
    const candidates = platform.app.get(CandidatesService);
    const facts = { id: tenant.id, slug: tenant.slug, plan: 'enterprise', currency: 'USD', epoch: '1' };
    const timers = async () =>
      asAdmin<{ key: string }>(
        platform.database,
        `select key from data.automation_runs where tenant_id = $1 and kind = 'talent.candidate.consent_expired'
           and state = 'waiting' and due_at <= $2 and key = any($3::text[])`,
        [tenant.id, new Date(platform.clock.nowMs()).toISOString(), all.map(({ id }) => id)],
      );
    platform.clock.advance(DAY_MS + 1_000);
    await api.patch(`${CANDIDATES}/${renewed.id}`, { consent: { expiresAt: new Date(platform.clock.nowMs() + DAY_MS).toISOString() } }); // prettier-ignore
    const due = (await timers()).map(({ key }) => key);
    expect(due.sort()).toEqual([plain.id, interested.id, open.id, hired.id].sort());
    for (const id of [...due, renewed.id]) await runAsAutomation(facts, () => candidates.endConsent(id));
    const kept = await Promise.all(all.map(({ id }) => candidateOf(id)));
    expect(kept.map(({ anonymizedAt }) => anonymizedAt !== null)).toEqual([true, false, false, false, false]);
    await makeApplication(api, open.id);
  });

  it('that expires under a legal hold has its effect after the release', async () => {
    const expiresAt = new Date(platform.clock.nowMs() + DAY_MS).toISOString();
    const { id } = await makeCandidate(api, { consent: { basis: 'consent', expiresAt } });
    await act(api, `${CANDIDATES}/${id}`, 'reject', { rejectReason: 'No' });
    const scope = { objectIds: [id] };
    const hold = await api.post('/api/admin/retention', { action: 'place_hold', name: 'A', reason: 'B', scope });
    const facts = { id: tenant.id, slug: tenant.slug, plan: 'enterprise', currency: 'USD', epoch: '1' };
    const end = () => runAsAutomation(facts, () => platform.app.get(CandidatesService).endConsent(id));
    const dueInDays = async () => {
      const [timer] = await asAdmin<{ due_at: Date }>(
        platform.database,
        `select due_at from data.automation_runs where kind = 'talent.candidate.consent_expired' and key = $1`,
        [id],
      );
      return (timer!.due_at.getTime() - platform.clock.nowMs()) / DAY_MS;
    };
    platform.clock.advance(DAY_MS + 1_000);
    await end();
    expect(await candidateOf(id)).toMatchObject({ anonymizedAt: null });
    expect(await dueInDays()).toBeCloseTo(30, 0);
    await api.post('/api/admin/retention', { action: 'release_hold', id: hold.body['id'], reason: 'Settled' });
    await end();
    expect((await candidateOf(id)).anonymizedAt).not.toBeNull();
  });
});
