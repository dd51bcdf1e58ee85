import { createHash } from 'node:crypto';
import { operationsOf } from '../../matrix/operations.js';
import type { ShownCandidate } from '#src/areas/talent/candidates/candidate.js';
import { toAttach } from '../../harness/files.js';
import type { Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { makeJob, move, setPolicy } from '../ai/job-calls.js';
import { APPROVALS } from '../approvals/approval-calls.js';
import {
  act,
  APPLICATIONS,
  CANDIDATES,
  INTERVIEWS,
  makeCandidate,
  makeOffer,
  OFFERS,
  onCandidate,
  SCORECARDS,
} from './talent-calls.js';

/** What remains of a candidate after erasure, in any table. */
const WORD = 'quokkabird';
const KEY = { 'idempotency-key': 'of-the-candidate' };
const AUDIT_LOGS = '/api/admin/audit-logs';
const GRANTS = '/api/admin/resource-permissions';
const TIMES = { startAt: '2026-12-01T09:00:00Z', endAt: '2026-12-01T10:00:00Z' };
/** Tables that may contain data of the erased candidate during the retention of events. */
const EVENTS = /^(events|webhook_)/;

let platform: TestPlatform;
let tenant: TestTenant;
let api: Client;
let reviewer: { id: string; api: Client };
beforeAll(async () => {
  platform = await startPlatform({ env: { AI_LOCAL_PRICE_MICROS_PER_1K: '1000' } });
});
beforeEach(async () => {
  tenant = await platform.tenant();
  ({ api } = tenant);
  reviewer = await platform.member(tenant, 'Reviewer');
  await setPolicy(tenant, { ratePerMinute: 10_000, personalData: 'allow', storeInputs: 'full' });
});
afterAll(() => platform.close());

/** Sends a request. @throws Error when the API rejects it. */
async function done<T = { id: string }>(path: string, body?: object, headers?: Record<string, string>): Promise<T> {
  const answer = await api.post<T>(path, body, headers);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
  return answer.body;
}

const PHONE = '+49 30 7183902465';

/** Every text field of a candidate, each in a valid format. */
const everyField = (word: string, more: object = {}) => ({
  name: word,
  firstName: word,
  lastName: word,
  email: `${word}@example.com`,
  emails: [`${word}.home@example.com`],
  phones: [PHONE],
  links: [`https://${word}.example.com`],
  headline: word,
  currentCompany: word,
  currentTitle: word,
  location: { city: word, country: 'DE' },
  skills: [word],
  sourceDetail: word,
  coverLetter: word,
  salaryExpectation: { minMinor: 1, currency: 'EUR', period: 'year' },
  tags: [word],
  externalRefs: [{ system: 'ats', id: word, url: `https://ats.example.com/${word}` }],
  customFields: { nickname: word },
  consent: { basis: 'consent' },
  ...more,
});

/** Everything attached to a record. */
async function hangOn(path: string, object: string, id: string, word: string): Promise<void> {
  const other = await done('/api/v1/sales/deals', { name: 'Acme' });
  const comment = await done(`${path}/${id}/comments`, { body: word });
  await done(`${path}/${id}/comments`, { body: word, parentId: comment.id });
  const file = { ...(await toAttach(api, `${word}.txt`, word)), label: word };
  await done(`${path}/${id}/attachments`, file);
  await done(`${path}/${id}/links`, { relation: 'relates_to', target: { object: 'sales.deal', id: other.id } });
  await done(`${path}/${id}/watchers`, { membershipId: reviewer.id });
  // Removed values still have audit entries.
  for (const part of ['attachments', 'links', 'watchers', 'comments']) {
    const again = { attachments: file, watchers: { membershipId: (await platform.member(tenant, 'Other')).id } };
    const link = { relation: 'blocks', target: { object: 'sales.deal', id: other.id } };
    const body = { ...again, links: link, comments: { body: word } }[part]!;
    const { id: goneId } = await done(`${path}/${id}/${part}`, body);
    await api.delete(`${path}/${id}/${part}/${goneId}`);
  }
  const principal = { type: 'membership', id: reviewer.id };
  await done(GRANTS, { object, objectId: id, principal, level: 'view', effect: 'allow', reason: word });
}

/** Runs an AI job about a record and reviews its output. */
async function judge(candidateId: string, word: string): Promise<{ id: string }> {
  const targets = [{ object: 'talent.candidate', id: candidateId }];
  const job = await makeJob(api, { kind: 'record.summarize', name: word, targets, input: { focus: word } });
  await move(platform, tenant, job.id, 'start');
  await move(platform, tenant, job.id, 'succeed', { output: { text: word, json: { word } } });
  await done(`/api/ai/jobs/${job.id}/feedback`, { rating: -1, comment: word, correctedOutput: word });
  return job;
}

/** A candidate with every field set. */
async function wholeCandidate(word: string): Promise<{ candidate: ShownCandidate; jobId: string; ids: string[] }> {
  const candidate = await done<ShownCandidate>(CANDIDATES, everyField(word), KEY);
  const duplicate = await makeCandidate(api, everyField(`${word}.twin`));
  await hangOn(CANDIDATES, 'talent.candidate', duplicate.id, word);
  await act(api, `${CANDIDATES}/${duplicate.id}`, 'withdraw', { reason: word });
  const applicationId = candidate.applicationId!;
  await api.patch(`${APPLICATIONS}/${applicationId}`, { name: word, tags: [word] });
  const interview = await done(INTERVIEWS, { applicationId, name: word, location: word, ...TIMES });
  await act(api, `${INTERVIEWS}/${interview.id}`, 'cancel');
  const card = { applicationId, interviewerId: reviewer.id, name: word, summary: word, recommendation: 'yes' };
  const scorecard = await done(SCORECARDS, { ...card, ratings: [{ criterion: 'Depth', score: 4, note: word }] });
  await act(api, `${SCORECARDS}/${scorecard.id}`, 'submit');
  const offer = await makeOffer(api, applicationId, { name: word });
  await parkedSending(offer.id, word);
  for (const [path, object, id] of [
    [CANDIDATES, 'talent.candidate', candidate.id],
    [APPLICATIONS, 'talent.application', applicationId],
    [INTERVIEWS, 'talent.interview', interview.id],
    [OFFERS, 'talent.offer', offer.id],
  ] as const)
    await hangOn(path, object, id, word);
  await act(api, `${CANDIDATES}/${candidate.id}`, 'move', { stage: 'screening' });
  const job = await judge(candidate.id, word);
  await act(api, `${CANDIDATES}/${duplicate.id}`, 'merge', { intoId: candidate.id });
  await act(api, `${CANDIDATES}/${candidate.id}`, 'reject', { rejectReason: word });
  const ids = [candidate.id, duplicate.id, applicationId, interview.id, scorecard.id, offer.id, job.id];
  return { candidate, jobId: job.id, ids };
}

/** An offer whose sending waited for approval and was rejected. */
async function parkedSending(offerId: string, word: string): Promise<void> {
  await api.patch('/api/admin/settings', { gates: [{ key: 'offer.send', effect: 'require_approval' }] });
  for (const action of ['submit', 'approve', 'send'])
    if ((await api.post(`${OFFERS}/${offerId}/${action}`, {})).status >= 300) throw new Error(action);
  const { data } = (await api.get<{ data: { id: string }[] }>(`${APPROVALS}?status=pending`)).body;
  const answer = await reviewer.api.post(`${APPROVALS}/${data[0]!.id}/reject`, { reason: word });
  if (answer.status !== 200) throw new Error(answer.text);
}

/** Tables in our schemas, from the catalogue, with a row that contains a text in any column. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await asAdmin<{ place: string; name: string }>(
    platform.database,
    `select c.oid::regclass::text as place, c.relname as name from pg_class c
     where c.relnamespace::regnamespace::text in ('data', 'directory') and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  expect(tables.length).toBeGreaterThan(100);
  const query = tables
    .filter(({ name }) => !EVENTS.test(name))
    .map(({ place }) => `select '${place}' as place where exists (select 1 from ${place} x where x::text ilike $1)`)
    .join(' union all ');
  return (await asAdmin<{ place: string }>(platform.database, query, [`%${text}%`])).map(({ place }) => place);
}

/** All API output: every list without parameters, and everything under the records with these ids. */
async function answersNaming(text: string, ids: string[]): Promise<string[]> {
  const lists = operationsOf(platform.document)
    .filter(({ method, path, scim }) => method === 'GET' && !scim && !path.includes('{'))
    .map(({ path }) => path);
  const items = operationsOf(platform.document)
    .filter(({ method, path }) => method === 'GET' && /^\/api\/v1\/talent\/[a-z]+\/\{id\}(\/[a-z-]+)?$/.test(path))
    .flatMap(({ path }) => ids.map((id) => path.replace('{id}', id)));
  const hanging = ['activity', 'comments', 'attachments', 'links', 'watchers'].flatMap((part) =>
    ['candidates', 'applications', 'interviews', 'scorecards', 'offers'].flatMap((collection) =>
      ids.map((id) => `/api/v1/talent/${collection}/${id}/${part}?limit=200`),
    ),
  );
  const more = ids.flatMap((id) => [`${AUDIT_LOGS}?limit=200&targetId=${id}`, `/api/ai/jobs/${id}`]);
  const all = [`${AUDIT_LOGS}?limit=200`, `${GRANTS}?object=talent.candidate`, `${APPROVALS}?limit=200`];
  const named: string[] = [];
  let answered = 0;
  for (const path of [...lists, ...items, ...hanging, ...more, ...all]) {
    const answer = await api.get(path);
    if (answer.status === 200) answered++;
    if (answer.text.toLowerCase().includes(text)) named.push(path);
  }
  expect(answered).toBeGreaterThan(80);
  return named;
}

it('leaves nothing in any table or response except events', async () => {
  const field = { recordType: 'talent.candidate', key: 'nickname', label: 'Nickname', fieldType: 'text' };
  await done('/api/settings/custom-fields', field);
  const { candidate, ids } = await wholeCandidate(WORD);
  expect(await tablesWith(WORD)).toEqual(
    expect.arrayContaining(
      [
        'talent_candidates',
        'talent_applications',
        'talent_interviews',
        'talent_scorecards',
        'talent_offers',
        'comments',
      ]
        .concat('attachments', 'record_transitions', 'home_approvals', 'ai_jobs', 'ai_feedback', 'audit_log')
        .concat('idempotency_keys', 'resource_grants', 'record_tags', 'external_refs', 'custom_field_values')
        .map((name) => `data.${name}`),
    ),
  );
  expect(await tablesWith(PHONE)).toEqual(expect.arrayContaining(['data.talent_candidates', 'data.idempotency_keys']));
  expect((await answersNaming(WORD, ids)).length).toBeGreaterThan(40);
  await act(api, `${CANDIDATES}/${candidate.id}`, 'anonymize');
  expect(await tablesWith(WORD)).toEqual([]);
  expect(await tablesWith(PHONE)).toEqual([]);
  expect(await answersNaming(WORD, ids)).toEqual([]);
  const { applicationId, id } = candidate;
  for (const path of [`${CANDIDATES}/${id}`, `${APPLICATIONS}/${applicationId}`])
    expect((await api.get(path)).body).toMatchObject({ status: 'rejected', rejectReason: '(erased)' });
});

it('keeps statistics, actors, times and evidence', async () => {
  const { id } = await makeCandidate(api, { name: WORD });
  await act(api, `${CANDIDATES}/${id}`, 'withdraw', { reason: WORD });
  const entriesOf = () =>
    asAdmin<{ entry: string; leaf_hash: Buffer; details: string; details_salt: Buffer | null; erased_at: Date | null }>(
      platform.database,
      'select * from data.audit_log where target_id = $1 order by occurred_at, id',
      [id],
    );
  const before = await entriesOf();
  await act(api, `${CANDIDATES}/${id}`, 'anonymize');
  const after = await entriesOf();
  expect(after.map(({ entry }) => entry).slice(0, before.length)).toEqual(before.map(({ entry }) => entry));
  for (const { entry, leaf_hash } of after)
    expect(leaf_hash).toEqual(createHash('sha256').update('\0').update(entry).digest());
  expect(after.map(({ details_salt: salt }) => salt === null)).toEqual([true, true, false]);
  const { data } = (await api.get<{ data: object[] }>(`${AUDIT_LOGS}?targetId=${id}`)).body;
  const erased = { from: '(erased)', to: '(erased)' };
  expect(data).toMatchObject([
    { action: 'talent.candidate.anonymized', target: { name: 'Anonymised candidate' }, erasedAt: null },
    {
      action: 'talent.candidate.withdrawn',
      actor: { type: 'api_key', name: 'test' },
      target: { type: 'talent.candidate', id, name: null },
      reason: null,
      changes: { status: erased, stage: erased },
      erasedAt: expect.any(String) as string,
    },
    { action: 'talent.candidate.created', changes: { status: erased } },
  ]);
  const activity = (await api.get<{ data: object[] }>(`${CANDIDATES}/${id}/activity`)).body.data;
  expect(activity).toMatchObject([
    { kind: 'change', action: 'talent.candidate.anonymized' },
    { kind: 'transition', action: 'withdraw', reason: null, to: { state: 'withdrawn' } },
    { kind: 'change', action: 'talent.candidate.created' },
  ]);
});

it('does not replay a stored response with erased data, nor run the request again', async () => {
  const candidate = await done<ShownCandidate>(CANDIDATES, { name: WORD }, KEY);
  await act(api, `${CANDIDATES}/${candidate.id}`, 'anonymize');
  const again = await api.post(CANDIDATES, { name: WORD }, KEY);
  expect(again).toMatchObject({ status: 409, body: { code: 'idempotency_answer_erased' } });
  const { data } = (await api.get<{ data: object[] }>(CANDIDATES)).body;
  expect(data).toHaveLength(1);
  const key = { 'idempotency-key': 'of-the-erasure' };
  const other = await makeCandidate(api);
  const first = await api.post(`${CANDIDATES}/${other.id}/anonymize`, undefined, key);
  expect(await api.post(`${CANDIDATES}/${other.id}/anonymize`, undefined, key)).toMatchObject({
    status: 200,
    text: first.text,
  });
});

it('cancels AI jobs whose input contains erased data', async () => {
  const { id } = await makeCandidate(api, { name: WORD });
  const targets = [{ object: 'talent.candidate', id }];
  const job = await makeJob(api, { kind: 'record.summarize', targets, input: {} });
  await onCandidate(api, id, 'anonymize');
  expect((await api.get(`/api/ai/jobs/${job.id}`)).body).toMatchObject({ name: '(erased)', input: null });
});

it('is the only permitted change of an audit entry', async () => {
  const { id } = await makeCandidate(api);
  const erased = `details = data.erased_details(details, outcome), details_salt = null, erased_at = now()`;
  for (const change of [
    `details = '{}'`,
    `details = data.erased_details(details, outcome)`,
    `details = '{}', details_salt = null, erased_at = now()`,
    `${erased}, entry = 'x'`,
    `${erased}, about_id = null, actor_id = 'x'`,
  ])
    await expect(
      asAdmin(platform.database, `update data.audit_log set ${change} where target_id = $1`, [id]),
    ).rejects.toMatchObject({ code: 'TOP03' });
  await expect(
    asAdmin(platform.database, 'delete from data.audit_log where target_id = $1', [id]),
  ).rejects.toMatchObject({
    code: 'TOP03',
  });
  await asAdmin(platform.database, `update data.audit_log set ${erased} where target_id = $1`, [id]);
  await expect(
    asAdmin(platform.database, `update data.audit_log set erased_at = now() where target_id = $1`, [id]),
  ).rejects.toMatchObject({ code: 'TOP03' });
});
