import pg from 'pg';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { acceptedOffer, act, CANDIDATES, makeCandidate, makeOffer, openJob, SCORECARDS } from './talent-calls.js';

/** Invariants tested by direct SQL, with the role of the API inside the tenant. */
let platform: TestPlatform;
let tenant: TestTenant;
let app: pg.Client;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
  app = new pg.Client({ connectionString: platform.database.appUrl });
  await app.connect();
});
afterAll(async () => {
  await app.end();
  await platform.close();
});

/** SQLSTATE and constraint that a statement violates; `no error` if none. */
async function broken(text: string, values: unknown[] = []): Promise<string> {
  await app.query('begin');
  try {
    await app.query(`select set_config('app.tenant_id', $1, true)`, [tenant.id]);
    const { rowCount } = await app.query(text, values);
    await app.query('set constraints all immediate');
    return `no error, ${rowCount} rows`;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    return `${error.code} ${error.constraint ?? ''}`.trim();
  } finally {
    await app.query('rollback');
  }
}

const set = (table: string, id: string | null, assignment: string, ...values: unknown[]) =>
  broken(`update data.${table} set ${assignment} where id = $1`, [id, ...values]);
const APPLICATIONS = 'talent_applications';
const PEOPLE = 'talent_candidates';

describe('an application is never', () => {
  it('hired without time and start date, or given them without being hired', async () => {
    const { applicationId } = await makeCandidate(tenant.api);
    const hired = `status = 'hired', stage = 'hired'`;
    expect(await set(APPLICATIONS, applicationId, `${hired}, hired_at = now(), start_date = now()`)).toBe(
      'no error, 1 rows',
    );
    expect(await set(APPLICATIONS, applicationId, hired)).toMatch(/^23514/);
    expect(await set(APPLICATIONS, applicationId, `${hired}, hired_at = now()`)).toMatch(/^23514/);
    expect(await set(APPLICATIONS, applicationId, `hired_at = now(), start_date = now()`)).toMatch(/^23514/);
  });

  it('rejected without a reason, or in a stage that does not match its status', async () => {
    const { applicationId } = await makeCandidate(tenant.api);
    expect(await set(APPLICATIONS, applicationId, `status = 'rejected', stage = 'rejected'`)).toMatch(/^23514/);
    expect(await set(APPLICATIONS, applicationId, `stage = 'withdrawn'`)).toMatch(/^23514/);
    expect(await set(APPLICATIONS, applicationId, `status = 'withdrawn'`)).toMatch(/^23514/);
  });

  it('moved, reopened or created in a job that is not open', async () => {
    const job = await openJob(tenant.api);
    const { id, applicationId } = await makeCandidate(tenant.api, { jobId: job.id });
    const gone = await makeCandidate(tenant.api, { jobId: job.id });
    await act(tenant.api, `${CANDIDATES}/${gone.id}`, 'withdraw', { reason: 'No' });
    expect(await set(APPLICATIONS, applicationId, `stage = 'screening'`)).toBe('no error, 1 rows');
    await act(tenant.api, `/api/v1/talent/jobs/${job.id}`, 'close', { openApplications: 'keep' });
    const refusal = '23514 talent_applications_job_open';
    expect(await set(APPLICATIONS, applicationId, `stage = 'screening'`)).toBe(refusal);
    expect(await set(APPLICATIONS, gone.applicationId, `status = 'active', stage = 'applied'`)).toBe(refusal);
    const other = await makeCandidate(tenant.api);
    expect(await set(APPLICATIONS, other.applicationId, 'job_id = $2', job.id)).toBe(refusal);
    expect(await set(APPLICATIONS, applicationId, `name = 'x'`)).toBe('no error, 1 rows');
    expect(id).not.toBe(gone.id);
  });

  it('the second open one of a candidate for a job, or physically deleted', async () => {
    const job = await openJob(tenant.api);
    const { id } = await makeCandidate(tenant.api, { jobId: job.id });
    const other = await makeCandidate(tenant.api, { jobId: job.id });
    const move = 'candidate_id = $2';
    expect(await set(APPLICATIONS, other.applicationId, move, id)).toBe('23505 talent_applications_job_id_key');
    expect(await broken('delete from data.talent_applications where id = $1', [other.applicationId])).toBe('42501');
  });
});

describe('a candidate never', () => {
  it('mirrors the application of another candidate', async () => {
    const [one, two] = [await makeCandidate(tenant.api), await makeCandidate(tenant.api)];
    expect(await set(PEOPLE, one.id, 'application_id = $2', two.applicationId)).toBe(
      '23503 talent_candidates_application_id_fkey',
    );
  });

  it('shares an e-mail address with another active one', async () => {
    await makeCandidate(tenant.api, { email: 'one@example.com' });
    const { id } = await makeCandidate(tenant.api);
    expect(await set(PEOPLE, id, `email = 'ONE@example.com'`)).toBe('23505 talent_candidates_email_key');
    expect(await set(PEOPLE, id, `email = 'ONE@example.com', archived_at = now()`)).toBe('no error, 1 rows');
  });

  it('keeps data once anonymised, is merged without being archived, or is both hired and deleted', async () => {
    const { id } = await makeCandidate(tenant.api, { headline: 'x' });
    expect(await set(PEOPLE, id, 'anonymized_at = now()')).toMatch(/^23514/);
    expect(await set(PEOPLE, id, 'anonymized_at = now(), headline = null')).toBe('no error, 1 rows');
    const other = await makeCandidate(tenant.api);
    expect(await set(PEOPLE, id, 'merged_into_id = $2', other.id)).toMatch(/^23514/);
    expect(await set(PEOPLE, id, 'merged_into_id = id, archived_at = now()')).toMatch(/^23514/);
    await act(tenant.api, `${CANDIDATES}/${id}`, 'hire', { startDate: '2027-01-04', force: true });
    expect(await set(PEOPLE, id, 'deleted_at = now()')).toMatch(/^23514/);
    expect(await set(PEOPLE, id, 'hired_at = null')).toMatch(/^23514/);
  });
});

it('a job never hires beyond its openings', async () => {
  const job = await openJob(tenant.api);
  expect(await set('talent_jobs', job.id, 'filled_count = 1')).toBe('no error, 1 rows');
  expect(await set('talent_jobs', job.id, 'filled_count = 2')).toBe('23514 talent_jobs_filled_of_openings');
  expect(await set('talent_jobs', job.id, 'filled_count = -1')).toBe('23514 talent_jobs_filled_of_openings');
});

it('an application never has two open offers', async () => {
  const { applicationId } = await makeCandidate(tenant.api);
  const first = await makeOffer(tenant.api, applicationId!);
  await act(tenant.api, `/api/v1/talent/offers/${first.id}`, 'withdraw');
  await acceptedOffer(tenant.api, applicationId!);
  for (const status of ['draft', 'pending_approval', 'approved', 'sent'])
    expect(await set('talent_offers', first.id, `status = '${status}'`)).toBe('23505 talent_offers_application_id_key');
});

describe('a submitted scorecard never', () => {
  it('changes, except for the erasure of its text', async () => {
    const { applicationId } = await makeCandidate(tenant.api);
    const { id: interviewerId } = await platform.member(tenant, 'Ada');
    const ratings = [{ criterion: 'Depth', score: 4, note: 'Good' }];
    const body = { applicationId, interviewerId, ratings, recommendation: 'yes', summary: 'Good' };
    const id = String((await tenant.api.post(SCORECARDS, body)).body['id']);
    const card = (assignment: string) => set('talent_scorecards', id, assignment);
    expect(await card(`summary = 'Better', recommendation = 'no'`)).toBe('no error, 1 rows');
    await act(tenant.api, `${SCORECARDS}/${id}`, 'submit');
    const score = (value: number, note: string) =>
      `ratings = '[{"criterion": "Depth", "score": ${value}, "note": ${note}}]'`;
    for (const assignment of [
      `recommendation = 'no'`,
      `summary = 'Better'`,
      `status = 'draft', submitted_at = null, score_hundredths = null`,
      `submitted_at = now()`,
      `score_hundredths = 500`,
      `ratings = '[]'`,
      score(5, 'null'),
      score(4, '"Better"'),
      score(4, 'null').replace('Depth', 'Width'),
    ])
      expect({ assignment, outcome: await card(assignment) }).toEqual({
        assignment,
        outcome: '23514 talent_scorecards_locked',
      });
    expect(await card(`name = 'Scorecard', summary = null, ${score(4, 'null')}`)).toBe('no error, 1 rows');
  });
});
