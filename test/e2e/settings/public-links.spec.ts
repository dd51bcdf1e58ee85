import { DAY_MS } from '#libs/kernel/durations.js';
import { Browser } from '../../harness/browser.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { draft, INVOICES, ISSUABLE, issued as issuedInvoice } from '../finance/invoice-calls.js';
import { auditOf, eventsOf } from '../../harness/written.js';

const LINKS = '/api/settings/public-links';
const OPEN = '/api/public/invoices';

interface Link {
  id: string;
  publicUrl: string;
  status: string;
  uses: number;
  expiresAt: string;
}

let platform: TestPlatform;
let tenant: TestTenant;
let address = 0;
beforeAll(async () => {
  platform = await startPlatform({ env: { TRUSTED_PROXIES: '127.0.0.1/32' } });
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

/** A request from an address of its own. */
const somewhere = () => ({ 'x-forwarded-for': `10.9.${Math.floor(++address / 250)}.${(address % 250) + 1}` });
const open = (url: string, headers: Record<string, string> = somewhere()) =>
  platform.anonymous().get(new URL(url).pathname, headers);
const inDays = (days: number) => new Date(platform.clock.nowMs() + days * DAY_MS).toISOString();
const sql = (text: string, values: unknown[] = []) => asAdmin<Record<string, unknown>>(platform.database, text, values);

const BODY = { ...ISSUABLE, notes: 'They always pay late' };
const issued = async (api = tenant.api): Promise<string> => (await issuedInvoice(api, BODY)).id;

async function linkTo(targetId: string, more: object = {}, api = tenant.api): Promise<Link> {
  const { status, body, text } = await api.post<Link>(LINKS, { purpose: 'invoice', targetId, ...more });
  if (status !== 201) throw new Error(text);
  return body;
}

const nothing = { status: 404, body: { code: 'not_found', detail: 'There is no such link.' } };

describe('a public link', () => {
  it('shows only the customer’s view of an invoice', async () => {
    const id = await issued();
    const link = await linkTo(id);
    expect(link).toMatchObject({
      object: 'core.public_link',
      status: 'active',
      purpose: 'invoice',
      targetObject: 'finance.invoice',
      targetId: id,
      maxUses: null,
      uses: 0,
    });
    expect(link.publicUrl).toMatch(/\/api\/public\/invoices\/top_link_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
    const answer = await open(link.publicUrl);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        number: expect.stringMatching(/^INV-/) as unknown,
        status: 'issued',
        customer: { name: 'Globex Ltd' },
        lineItems: [{ description: 'Consulting', quantity: 2.5, totalMinor: 36_000 }],
        totalMinor: 36_000,
        balanceMinor: 36_000,
      },
    });
    for (const hidden of [id, tenant.id, tenant.slug, 'pay late', 'billing@', 'createdBy', 'contentHash'])
      expect(answer.text).not.toContain(hidden);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('etag')).toBeNull();
  });

  it('records the first view of the invoice and counts each use', async () => {
    const id = await issued();
    const { id: linkId, publicUrl } = await linkTo(id);
    expect((await tenant.api.get(`${INVOICES}/${id}`)).body).toMatchObject({ viewedAt: null });
    await open(publicUrl);
    const { viewedAt } = (await tenant.api.get(`${INVOICES}/${id}`)).body;
    expect(Date.parse(String(viewedAt))).toBeGreaterThan(0);
    platform.clock.advance(1_000);
    await open(publicUrl);
    expect((await tenant.api.get(`${INVOICES}/${id}`)).body).toMatchObject({ viewedAt });
    const { body } = await tenant.api.get(`${LINKS}/${linkId}`);
    expect(body).toMatchObject({ uses: 2, version: 1 });
    expect(Date.parse(String(body['lastUsedAt']))).toBeGreaterThan(Date.parse(String(viewedAt)));
    const told = (await eventsOf(platform, tenant, id)).map(({ type }) => type);
    expect(told.filter((type) => type === 'finance.invoice.viewed')).toHaveLength(1);
    expect((await auditOf(platform, tenant, id)).at(-1)).toMatchObject({
      action: 'finance.invoice.viewed',
      actor: { type: 'system', name: 'public link' },
    });
  });

  it('shows a page to browsers, also when it does not work', async () => {
    const { publicUrl } = await linkTo(await issued());
    const browser = new Browser(somewhere());
    const at = (url: string) => browser.open(platform.url + new URL(url).pathname);
    const page = await at(publicUrl);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.text).toContain('<h1>Invoice INV-');
    expect(page.text).toMatch(/<tr><td>To pay<\/td><td>[^<]*\d[^<]*<\/td><\/tr>/);
    expect(page.text).not.toContain(BODY.notes);
    const nowhere = await at(`${publicUrl}0`);
    expect(nowhere).toMatchObject({ status: 404 });
    expect(nowhere.text).toContain('There is no such link.');
    expect(nowhere.text).not.toContain('<a ');
  });

  it('is not used up by HEAD', async () => {
    const id = await issued();
    const { publicUrl } = await linkTo(id, { maxUses: 1 });
    const { pathname } = new URL(publicUrl);
    const head = () => fetch(platform.url + pathname, { method: 'HEAD', headers: somewhere() });
    expect((await head()).status).toBe(200);
    expect((await tenant.api.get(`${INVOICES}/${id}`)).body).toMatchObject({ viewedAt: null });
    expect((await open(publicUrl)).status).toBe(200);
    expect((await head()).status).toBe(404);
  });

  it('is shown once, and its token is stored as a hash', async () => {
    const link = await linkTo(await issued());
    const token = link.publicUrl.split('/').at(-1)!;
    for (const path of [`${LINKS}/${link.id}`, LINKS]) expect((await tenant.api.get(path)).text).not.toContain(token);
    expect(JSON.stringify(await eventsOf(platform, tenant, link.id))).not.toContain(token);
    expect(JSON.stringify(await auditOf(platform, tenant, link.id))).not.toContain(token);
    const [stored] = await sql('select token_hash from directory.public_link_tokens where link_id = $1', [link.id]);
    expect(stored!['token_hash']).toHaveLength(32);
  });

  it('returns the same 404 when it is revoked, expired, used up or unknown', async () => {
    const id = await issued();
    const [revoked, expired, used] = [
      await linkTo(id),
      await linkTo(id, { expiresAt: inDays(1) }),
      await linkTo(id, { maxUses: 2 }),
    ];
    expect(await tenant.api.post(`${LINKS}/${revoked.id}/revoke`)).toMatchObject({
      status: 200,
      body: { status: 'revoked', version: 2 },
    });
    const refusal = { status: 409, body: { code: 'invalid_transition' } };
    expect(await tenant.api.post(`${LINKS}/${revoked.id}/revoke`)).toMatchObject(refusal);
    const opened = await Promise.all(Array.from({ length: 6 }, () => open(used.publicUrl)));
    expect(opened.filter(({ status }) => status === 200)).toHaveLength(2);
    platform.clock.advance(DAY_MS + 1_000);
    const others = ['nonsense', `top_link_${'0'.repeat(43)}_000000`, revoked.publicUrl.split('/').at(-1)!.slice(0, -1)];
    const urls = [revoked, expired, used].map(({ publicUrl }) => publicUrl);
    const texts = new Set<string>();
    for (const url of [...urls, ...others.map((token) => `http://x${OPEN}/${token}`)]) {
      const answer = await open(url, { ...somewhere(), 'x-request-id': 'same-for-all' });
      expect(answer).toMatchObject(nothing);
      texts.add(answer.text.replace(new URL(url).pathname, ''));
    }
    expect(texts.size).toBe(1);
    const statuses = async (query: string) =>
      (await tenant.api.get<{ data: Link[] }>(`${LINKS}?targetId=${id}&status=${query}`)).body.data.map(
        (each) => each.id,
      );
    expect(await statuses('revoked')).toEqual([revoked.id]);
    expect(await statuses('expired')).toEqual([used.id, expired.id]);
    expect(await statuses('active')).toEqual([]);
  });

  it('does not work while its tenant is suspended', async () => {
    const link = await linkTo(await issued());
    await sql('update directory.tenants set suspended_at = now() where id = $1', [tenant.id]);
    expect(await open(link.publicUrl)).toMatchObject(nothing);
    await sql('update directory.tenants set suspended_at = null where id = $1', [tenant.id]);
    expect(await open(link.publicUrl)).toMatchObject({ status: 200 });
  });

  it('still shows a voided invoice, with its status', async () => {
    const id = await issued();
    const link = await linkTo(id);
    await tenant.api.post(`${INVOICES}/${id}/void`, { reason: 'Wrong customer' });
    expect(await open(link.publicUrl)).toMatchObject({ status: 200, body: { status: 'void' } });
    const refused = await tenant.api.post(LINKS, { purpose: 'invoice', targetId: id });
    expect(refused).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  });

  it('is limited by token and by address', async () => {
    const link = await linkTo(await issued());
    const tooMany = { status: 429, body: { code: 'rate_limit_exceeded' } };
    const calls = await Promise.all(Array.from({ length: 40 }, () => open(link.publicUrl)));
    expect(calls.filter(({ status }) => status === 200)).toHaveLength(30);
    expect(calls.find(({ status }) => status === 429)).toMatchObject(tooMany);
    const here = somewhere();
    const guesses = [];
    for (let i = 0; i < 40; i += 1) guesses.push(await open(`http://x${OPEN}/guess-${i}`, here));
    expect(guesses[0]).toMatchObject(nothing);
    expect(guesses.at(-1)).toMatchObject(tooMany);
  });
});

describe('creating links', () => {
  const of = (targetId: string) => ({ purpose: 'invoice', targetId });

  it('requires permission to send the invoice', async () => {
    const id = await issued();
    const reader = await platform.key(tenant, ['invoices:read', 'invoices:write']);
    const denied = { status: 403, body: { code: 'permission_denied', requiredPermission: 'invoices:send' } };
    expect(await reader.post(LINKS, of(id))).toMatchObject(denied);
    expect(await reader.get(LINKS)).toMatchObject(denied);
    const sender = await platform.key(tenant, ['invoices:read', 'invoices:send']);
    const link = await linkTo(id, {}, sender);
    expect(await sender.post(`${LINKS}/${link.id}/revoke`)).toMatchObject({ status: 200 });
    const viewer = await platform.member(tenant, 'Vic', ['*'], { roles: ['viewer'] });
    expect(await viewer.api.post(LINKS, of(id))).toMatchObject({ status: 403 });
  });

  it('fails for drafts, unknown invoices and invoices of other tenants', async () => {
    const other = await platform.tenant();
    const theirs = await issued(other.api);
    expect(await tenant.api.post(LINKS, of((await draft(tenant.api)).id))).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition' },
    });
    for (const targetId of [theirs, tenant.id])
      expect(await tenant.api.post(LINKS, of(targetId))).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/targetId', code: 'unknown_reference' }] },
      });
    const link = await linkTo(theirs, {}, other.api);
    expect(await tenant.api.get(`${LINKS}/${link.id}`)).toMatchObject({ status: 404 });
    expect(await tenant.api.post(`${LINKS}/${link.id}/revoke`)).toMatchObject({ status: 404 });
  });

  it('accepts an expiry time in the future, at most one year ahead', async () => {
    const id = await issued();
    for (const expiresAt of [inDays(-1), inDays(367)])
      expect(await tenant.api.post(LINKS, { ...of(id), expiresAt })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/expiresAt', code: 'out_of_range' }] },
      });
    const { expiresAt } = await linkTo(id);
    expect(Math.round((Date.parse(expiresAt) - platform.clock.nowMs()) / DAY_MS)).toBe(90);
  });

  it('emits an event', async () => {
    const link = await linkTo(await issued());
    await tenant.api.post(`${LINKS}/${link.id}/revoke`);
    const types = ['core.public_link.created', 'core.public_link.revoked'];
    expect((await eventsOf(platform, tenant, link.id)).map(({ type }) => type)).toEqual(types);
    expect((await auditOf(platform, tenant, link.id)).map(({ action }) => action)).toEqual(types);
  });
});
