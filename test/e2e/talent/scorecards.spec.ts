import type { ShownCandidate } from '#src/areas/talent/candidates/candidate.js';
import type { ShownInterview } from '#src/areas/talent/interviews/interview.js';
import type { ShownScorecard } from '#src/areas/talent/scorecards/scorecard.js';
import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, APPLICATIONS, CANDIDATES, INTERVIEWS, makeCandidate, SCORECARDS, tally } from './talent-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
let api: Client;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
  ({ api } = tenant);
});
afterAll(() => platform.close());

/** The permissions of an interviewer without further roles. */
const INTERVIEWER = ['candidates:read', 'interviews:read', 'interview-scorecards:read', 'interview-scorecards:write'];
const interviewer = (name: string, ...more: string[]) => platform.member(tenant, name, [...INTERVIEWER, ...more]);

async function draft(as: Client, applicationId: string, scores: number[], body: object = {}): Promise<ShownScorecard> {
  const ratings = scores.map((score, i) => ({ criterion: `C${i}`, score }));
  const answer = await as.post<ShownScorecard>(SCORECARDS, { applicationId, ratings, recommendation: 'yes', ...body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

const submit = (as: Client, id: string) => as.post<ShownScorecard>(`${SCORECARDS}/${id}/submit`);
const seenBy = async (as: Client, applicationId: string): Promise<string[]> => {
  const path = `${SCORECARDS}?applicationId=${applicationId}&sort=createdAt`;
  return (await as.get<{ data: { id: string }[] }>(path)).body.data.map(({ id }) => id);
};

describe('scorecards of others are hidden', () => {
  it('until the interviewer submits their own: in the list, by id and in changes', async () => {
    const { applicationId } = await makeCandidate(api);
    const [ada, bob] = [await interviewer('Ada'), await interviewer('Bob')];
    const hers = await draft(ada.api, applicationId!, [5]);
    await submit(ada.api, hers.id);
    const his = await draft(bob.api, applicationId!, [1]);
    expect(await seenBy(bob.api, applicationId!)).toEqual([his.id]);
    expect((await bob.api.get(`${SCORECARDS}/${hers.id}`)).status).toBe(404);
    expect((await bob.api.patch(`${SCORECARDS}/${hers.id}`, { summary: 'x' })).status).toBe(404);
    expect((await bob.api.get(`${SCORECARDS}?interviewerId=${ada.id}`)).body['data']).toEqual([]);
    expect(await seenBy(ada.api, applicationId!)).toEqual([hers.id]);
    await submit(bob.api, his.id);
    expect(await seenBy(bob.api, applicationId!)).toEqual([hers.id, his.id]);
    expect(await seenBy(ada.api, applicationId!)).toEqual([hers.id, his.id]);
    const other = await makeCandidate(api);
    const second = await draft(ada.api, other.applicationId!, [3]);
    await submit(ada.api, second.id);
    expect(await seenBy(bob.api, other.applicationId!)).toEqual([]);
  });

  it('except with interview-scorecards:read-all, which does not include drafts of others', async () => {
    const { applicationId } = await makeCandidate(api);
    const [ada, lead] = [await interviewer('Ada'), await interviewer('Lead', 'interview-scorecards:read-all')];
    const card = await draft(ada.api, applicationId!, [4]);
    expect(await seenBy(lead.api, applicationId!)).toEqual([]);
    await submit(ada.api, card.id);
    expect(await seenBy(lead.api, applicationId!)).toEqual([card.id]);
  });

  it('and can be changed by their interviewers only', async () => {
    const { applicationId } = await makeCandidate(api);
    const [ada, bob] = [await interviewer('Ada'), await interviewer('Bob', 'interview-scorecards:read-all')];
    expect(await bob.api.post(SCORECARDS, { applicationId, interviewerId: ada.id })).toMatchObject({ status: 403 });
    const card = await draft(ada.api, applicationId!, [4]);
    expect(card.interviewerId).toBe(ada.id);
    for (const answer of [
      await bob.api.patch(`${SCORECARDS}/${card.id}`, { summary: 'x' }),
      await submit(bob.api, card.id),
    ])
      expect(answer.status).toBe(404);
    expect(await api.post(SCORECARDS, { applicationId })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/interviewerId', code: 'required' }] },
    });
  });
});

describe('a submitted scorecard', () => {
  it('needs ratings and a recommendation, and is immutable', async () => {
    const { applicationId } = await makeCandidate(api);
    const ada = await interviewer('Ada');
    const { id } = await draft(ada.api, applicationId!, [], { recommendation: null });
    expect(await submit(ada.api, id)).toMatchObject({
      status: 409,
      body: { code: 'required_fields_missing', missingFields: ['ratings', 'recommendation'] },
    });
    const ratings = [3, 4, 4].map((score, i) => ({ criterion: `C${i}`, score, note: 'Good' }));
    await ada.api.patch(`${SCORECARDS}/${id}`, { ratings, recommendation: 'strong_yes' });
    expect(await ada.api.patch(`${SCORECARDS}/${id}`, { status: 'submitted' })).toMatchObject({
      status: 200,
      body: { status: 'submitted', score: 3.67 },
    });
    for (const patch of [{ ratings: [] }, { summary: 'Changed my mind' }, { recommendation: 'no' }, { name: 'x' }])
      expect(await ada.api.patch(`${SCORECARDS}/${id}`, patch)).toMatchObject({
        status: 409,
        body: { code: 'record_locked' },
      });
    expect((await submit(ada.api, id)).status).toBe(409);
    expect((await ada.api.get(`${SCORECARDS}/${id}`)).body).toMatchObject({ ratings, recommendation: 'strong_yes' });
  });

  it('is unique per interviewer and interview under concurrent requests', async () => {
    const { applicationId } = await makeCandidate(api);
    const ada = await interviewer('Ada');
    const answers = await Promise.all(Array.from({ length: 6 }, () => ada.api.post(SCORECARDS, { applicationId })));
    expect(tally(answers)).toEqual({ 201: 1, 409: 5 });
  });

  it('counts in the mean of candidates and applications, also when submitted concurrently', async () => {
    const { id, applicationId } = await makeCandidate(api);
    expect((await api.get(`${CANDIDATES}/${id}`)).body).toMatchObject({ rating: null });
    const scores = [[5, 4], [3], [2, 2, 3], [4]];
    const cards = [];
    for (const each of scores) {
      const { api: as } = await interviewer('Someone');
      cards.push({ as, ...(await draft(as, applicationId!, each)) });
    }
    const answers = await Promise.all(cards.map((card) => submit(card.as, card.id)));
    expect(tally(answers)).toEqual({ 200: 4 });
    const mean = Math.round((450 + 300 + 233 + 400) / 4) / 100;
    const candidate = await api.get<ShownCandidate>(`${CANDIDATES}/${id}`);
    expect(candidate.body.rating).toBe(mean);
    expect((await api.get(`${APPLICATIONS}/${applicationId}`)).body).toMatchObject({ rating: mean });
    for (const query of ['rating[gte]=3.46', 'rating=3.46', 'rating[lt]=3.47', 'sort=-rating&rating[isNull]=false']) {
      const { body } = await api.get<{ data: ShownCandidate[] }>(`${CANDIDATES}?${query}`);
      expect({ query, found: body.data.some((each) => each.id === id) }).toEqual({ query, found: true });
    }
    expect((await api.get(`${CANDIDATES}?rating[gt]=3.46&ids=${id}`)).body['data']).toEqual([]);
    expect((await api.get(`${CANDIDATES}?rating=5.1`)).status).toBe(400);
  });

  it('refers to an interview of the same application', async () => {
    const [one, two] = [await makeCandidate(api), await makeCandidate(api)];
    const ada = await interviewer('Ada', 'interviews:write');
    const { body: interview } = await ada.api.post<ShownInterview>(INTERVIEWS, {
      applicationId: one.applicationId,
      startAt: '2026-12-01T09:00:00Z',
      endAt: '2026-12-01T10:00:00Z',
    });
    const cards = { interviewId: interview.id };
    expect(await draft(ada.api, one.applicationId!, [3], cards)).toMatchObject(cards);
    expect(await ada.api.post(SCORECARDS, { applicationId: two.applicationId, ...cards })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/interviewId', code: 'invalid_value' }] },
    });
  });
});

describe('an interview', () => {
  const at = (hour: number, more: object = {}) => ({
    startAt: `2026-12-01T${String(hour).padStart(2, '0')}:00:00Z`,
    endAt: `2026-12-01T${String(hour + 1).padStart(2, '0')}:00:00Z`,
    ...more,
  });

  it('ends after it starts, and belongs to an open application', async () => {
    const { id, applicationId } = await makeCandidate(api);
    const backwards = { applicationId, startAt: '2026-12-01T10:00:00Z', endAt: '2026-12-01T10:00:00Z' };
    expect(await api.post(INTERVIEWS, backwards)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/endAt' }] },
    });
    await act(api, `${CANDIDATES}/${id}`, 'reject', { rejectReason: 'No' });
    expect(await api.post(INTERVIEWS, { applicationId, ...at(9) })).toMatchObject({
      status: 409,
      body: { code: 'application_closed' },
    });
  });

  it('can be filtered by participants and warns of conflicts', async () => {
    const [ada, bob] = [await platform.member(tenant, 'Ada'), await platform.member(tenant, 'Bob')];
    const make = async (hour: number, interviewerIds: string[]) => {
      const { applicationId } = await makeCandidate(api);
      const answer = await api.post<ShownInterview>(INTERVIEWS, { applicationId, interviewerIds, ...at(hour) });
      return answer.body.id;
    };
    const first = await make(9, [ada.id, bob.id]);
    const same = await make(9, [ada.id]);
    const next = await make(10, [ada.id]);
    const elsewhere = await make(9, [bob.id]);
    const clashes = async (id: string) => (await api.get(`${INTERVIEWS}/${id}/clashes`)).body['data'];
    expect(await clashes(same)).toMatchObject([{ interviewId: first, interviewerId: ada.id }]);
    expect(await clashes(first)).toHaveLength(2);
    expect(await clashes(next)).toEqual([]);
    await act(api, `${INTERVIEWS}/${elsewhere}`, 'cancel');
    expect(await clashes(first)).toMatchObject([{ interviewId: same }]);
    const mine = await ada.api.get<{ data: { id: string }[] }>(`${INTERVIEWS}?interviewerId=me&sort=createdAt`);
    expect(mine.body.data.map(({ id }) => id)).toEqual([first, same, next]);
    await api.patch(`${INTERVIEWS}/${same}`, { interviewerIds: [] });
    expect(await clashes(first)).toEqual([]);
  });

  it('that is over keeps its time and participants', async () => {
    const { applicationId } = await makeCandidate(api);
    const { id } = (await api.post<ShownInterview>(INTERVIEWS, { applicationId, ...at(9) })).body;
    await act(api, `${INTERVIEWS}/${id}`, 'complete');
    expect(await api.patch(`${INTERVIEWS}/${id}`, at(11))).toMatchObject({
      status: 409,
      body: { code: 'record_locked' },
    });
    expect((await api.patch(`${INTERVIEWS}/${id}`, { location: 'Room 4' })).status).toBe(200);
  });
});
