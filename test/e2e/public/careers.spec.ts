import { Browser } from '../../harness/browser.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { EVIL, expectHarmless, JOBS, type Json, nonceOf, visitsOf } from './visits.js';

const platform: TestPlatform = await startPlatform({ env: { TRUSTED_PROXIES: '127.0.0.1/32' } });
afterAll(() => platform.close());

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await platform.tenant();
});
const { somewhere, get, post, submit, visit, made, acted, advertised } = visitsOf(platform, () => tenant);

describe('public pages of a tenant', () => {
  it('show its jobs that are open and public, and no others', async () => {
    const careers = `/api/public/careers/${tenant.slug}`;
    expect((await visit(careers)).text).toContain('There are no open jobs');
    const id = await advertised({
      salaryRange: { minMinor: 1, maxMinor: 77_777_777, currency: 'EUR', period: 'year' },
    });
    const hidden = await made(JOBS, { name: 'Secret', isPublic: false });
    await acted(`${JOBS}/${hidden}/open`);
    const draft = await made(JOBS, { name: 'Draft', isPublic: true });
    const { status, body, text } = await get(careers);
    expect({ status, ids: (body['data'] as { id: string }[]).map((job) => job.id) }).toEqual({
      status: 200,
      ids: [id],
    });
    expect(text).not.toMatch(/77777777|ownerId|Secret/);
    for (const each of [hidden, draft, tenant.id]) {
      expect(await get(`${careers}/jobs/${each}`)).toMatchObject({ status: 404 });
      expect(await post(`${careers}/jobs/${each}/apply`, {})).toMatchObject({ status: 400 });
    }
    for (const page of [await visit(careers), await visit(`${careers}/jobs/${id}`)]) {
      expectHarmless(page, { isPersonal: false });
      expect(page.text).toContain('Engineer &quot;&#39;&gt;&lt;script&gt;');
    }
    const other = await platform.tenant();
    expect(await get(`/api/public/careers/${other.slug}/jobs/${id}`)).toMatchObject({ status: 404 });
    await tenant.api.patch('/api/admin/settings', { features: { talent: false } });
    expect(await get(careers)).toMatchObject({ status: 404 });
    await asAdmin(platform.database, 'update directory.tenants set suspended_at = now() where id = $1', [tenant.id]);
    for (const path of [careers, `/api/public/tenants/${tenant.slug}`, '/api/public/tenants/no-such-tenant'])
      expect(await get(path)).toMatchObject({ status: 404, body: { detail: 'There is no such page.' } });
  });

  it('say who it is and what the plans allow', async () => {
    await tenant.api.patch('/api/admin/settings', { branding: { displayName: 'Acme', primaryColor: '#0f62fe' } });
    expect((await get(`/api/public/tenants/${tenant.slug}`)).body).toEqual({
      slug: tenant.slug,
      name: 'Acme',
      logoUrl: null,
      primaryColor: '#0f62fe',
      signInUrl: null,
      careersUrl: `${platform.url}/api/public/careers/${tenant.slug}`,
    });
    const { body } = await get('/api/public/plans');
    expect((body['data'] as { key: string }[]).map(({ key }) => key)).toEqual([
      'free',
      'starter',
      'business',
      'enterprise',
    ]);
  });
});

describe('applying for a job', () => {
  const person = { name: 'Ada Lovelace', email: 'ada@example.com', consent: true };
  let id: string;
  let path: string;
  beforeEach(async () => {
    id = await advertised();
    path = `/api/public/careers/${tenant.slug}/jobs/${id}`;
  });

  const task = async () => (await get(path)).body['application'] as { challenge: string; difficulty: number };
  async function prove(body: object): Promise<Record<string, unknown>> {
    const given = await task();
    return { ...person, challenge: given.challenge, nonce: nonceOf(given), ...body };
  }
  const candidates = async () => (await tenant.api.get<{ data: Json[] }>('/api/v1/talent/candidates')).body.data;
  const applications = async () => (await tenant.api.get<{ data: Json[] }>('/api/v1/talent/applications')).body.data;
  const received = { status: 202, body: { received: true } };

  it('makes a candidate with consent, once, with a proof of work', async () => {
    const body = await prove({ phone: '+49 30 1234567', link: 'https://example.com/ada', coverLetter: EVIL });
    const twice = await Promise.all([post(`${path}/apply`, body), post(`${path}/apply`, body)]);
    for (const answer of [...twice, await post(`${path}/apply`, body)]) expect(answer).toMatchObject(received);
    expect(await candidates()).toMatchObject([
      {
        name: 'Ada Lovelace',
        email: 'ada@example.com',
        source: 'careers_page',
        jobId: id,
        stage: 'applied',
        coverLetter: EVIL,
        phones: ['+49 30 1234567'],
        links: ['https://example.com/ada'],
        consent: { basis: 'consent', givenAt: expect.any(String) as string, expiresAt: expect.any(String) as string },
      },
    ]);
    expect(await applications()).toHaveLength(1);
    const other = { ...body, email: 'eve@example.com' };
    expect(await post(`${path}/apply`, other)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/challenge', code: 'used' }] },
    });
    expect(await candidates()).toHaveLength(1);
  });

  it('answers the same for a known address, adds an application, and leaves what is known', async () => {
    const second = await advertised({ name: 'Designer' });
    const known = await made('/api/v1/talent/candidates', {
      ...{ name: 'Countess', email: 'ADA@example.com', jobId: second, isPrivate: true },
    });
    const answer = await post(`${path}/apply`, await prove({ name: 'Mallory', coverLetter: 'Hire me' }));
    expect(answer).toMatchObject(received);
    expect(await post(`${path}/apply`, await prove({}))).toMatchObject(received);
    expect(await candidates()).toMatchObject([{ id: known, name: 'Countess', coverLetter: null, isPrivate: true }]);
    const jobIds = (await applications()).map(({ jobId }) => jobId);
    expect(jobIds.sort()).toEqual([id, second].sort());
    expect((await candidates())[0]).toMatchObject({ consent: { basis: 'consent' } });
  });

  it('works with the form alone, for people who take their time and are no robots', async () => {
    const browser = new Browser(somewhere());
    const page = await browser.open(platform.url + path);
    const [, challenge = ''] = /name="challenge" value="([^"]+)"/.exec(page.text)!;
    const form = { ...person, consent: 'true', challenge, phone: '', link: '', coverLetter: '', website: '' };
    const early = await submit(browser, `${path}/apply`, form);
    expect(early.status).toBe(400);
    expect(early.text).toContain('Go back, wait a moment');
    platform.clock.advance(3_000);
    const robot = await submit(browser, `${path}/apply`, { ...form, website: 'http://spam.example' });
    expect([robot.status, await candidates()]).toEqual([202, []]);
    const { consent: _, ...unwilling } = form;
    expect((await submit(browser, `${path}/apply`, unwilling)).status).toBe(400);
    const done = await submit(browser, `${path}/apply`, form);
    expect(done.status).toBe(202);
    expectHarmless(done);
    expect(done.text).toContain('has received your application');
    expect(await candidates()).toMatchObject([{ email: 'ada@example.com', phones: [], coverLetter: null }]);
  });

  it('refuses what proves nothing, forged and late challenges, and too much from one address', async () => {
    const body = await prove({});
    const refused = async (changes: object, code: string) => {
      const answer = await post(`${path}/apply`, { ...body, ...changes });
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ code }] } });
    };
    await refused({ nonce: undefined }, 'required');
    await refused({ nonce: 'x' }, 'invalid_value');
    await refused({ challenge: 'x' }, 'invalid_value');
    await refused({ consent: false }, 'invalid_value');
    await refused({ link: 'javascript:alert(1)' }, 'invalid_format');
    await refused({ email: 'a@example.com\r\nBcc: b@example.com' }, 'invalid_characters');
    await refused({ name: `A${'a'.repeat(200)}` }, 'too_long');
    const other = await advertised();
    const elsewhere = `/api/public/careers/${tenant.slug}/jobs/${other}/apply`;
    expect(await post(elsewhere, body)).toMatchObject({ status: 400 });
    platform.clock.advance(86_400_001);
    await refused({}, 'expired');
    const here = somewhere();
    const robots = { ...(await prove({})), website: 'x' };
    let last = 202;
    for (let n = 0; n < 61; n += 1) last = (await post(`${path}/apply`, robots, here)).status;
    expect(last).toBe(429);
    expect(await candidates()).toEqual([]);
  });
});
