import type { Browser as Chromium } from 'playwright-core';
import { Browser } from '../../harness/browser.js';
import { chromiumAvailable, startChromium } from '../../harness/chromium.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { auditOf, eventsOf } from '../../harness/written.js';
import { ISSUABLE, issued } from '../finance/invoice-calls.js';
import { EVIL, expectHarmless, LINKS, MILESTONES, visitsOf } from './visits.js';

const platform: TestPlatform = await startPlatform({ env: { TRUSTED_PROXIES: '127.0.0.1/32' } });
afterAll(() => platform.close());

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await platform.tenant();
});
const { somewhere, get, post, submit, visit, acted, linkTo, reached, advertised } = visitsOf(platform, () => tenant);

describe('pages behind links', () => {
  it('show an invoice in the look and language of the tenant, with everything escaped', async () => {
    await tenant.api.patch('/api/admin/settings', {
      branding: { displayName: `Acme ${EVIL}`, primaryColor: '#FFEE00' },
      general: { locale: 'de-DE' },
    });
    const lineItems = [{ description: EVIL, quantity: 1000, unitPriceMinor: 123_456 }];
    const { id } = await issued(tenant.api, { ...ISSUABLE, name: EVIL, terms: EVIL, lineItems });
    const page = await visit(await linkTo('invoice', id));
    expect(page.status).toBe(200);
    expectHarmless(page);
    expect(page.text).toContain('<header><span>Acme &quot;&#39;&gt;&lt;script&gt;');
    expect(page.text).toMatch(/1\.234\.560,00/);
    expect(page.text).toMatch(/<dt>Due<\/dt><dd>\d{1,2}\. [A-Z][^<]* \d{4}<\/dd>/);
    const [, color] = /--brand:(#[0-9a-f]{6})/.exec(page.text)!;
    expect(color).not.toBe('#ffee00'); // nobody could read it on white
  });

  it('let a customer accept a milestone once, by the form alone', async () => {
    const id = await reached({ billableMinor: 400_000, acceptance: { required: true } });
    const path = await linkTo('milestone', id, { maxUses: 2 });
    const browser = new Browser(somewhere());
    const page = await browser.open(platform.url + path);
    expectHarmless(page);
    expect(page.text).toContain(`<form method="post" action="${path.split('/').at(-1)!}/accept">`);
    expect((await get(path)).body).toMatchObject({ status: 'reached', amountMinor: 400_000, acceptedAt: null });
    for (const method of ['GET', 'HEAD'])
      expect((await fetch(`${platform.url}${path}/accept`, { method, headers: somewhere() })).status).toBe(405);
    expect(await get(path)).toMatchObject({ status: 404 }); // used up
    expect((await tenant.api.get(`${MILESTONES}/${id}`)).body).toMatchObject({ status: 'reached' });

    expect((await submit(browser, `${path}/accept`, { name: ' ' })).status).toBe(400);
    const accepted = await submit(browser, `${path}/accept`, { name: `Grace ${EVIL}`.slice(0, 200) });
    expect(accepted.status).toBe(200);
    expectHarmless(accepted);
    expect(accepted.text).toMatch(/<dt>Accepted<\/dt><dd>[^<]*, by Grace &quot;/);
    expect(accepted.text).not.toContain('<form');
    expect(await submit(browser, `${path}/accept`, { name: 'Again' })).toMatchObject({ status: 409 });
    expect((await tenant.api.get(`${MILESTONES}/${id}`)).body).toMatchObject({
      status: 'accepted',
      acceptance: { acceptedBy: `Grace ${EVIL}`.slice(0, 200), acceptedAt: expect.any(String) as string },
    });
    const told = (await eventsOf(platform, tenant, id)).map(({ type }) => type);
    expect(told.filter((type) => type === 'work.milestone.accepted')).toHaveLength(1);
    expect((await auditOf(platform, tenant, id)).at(-1)).toMatchObject({
      action: 'work.milestone.accepted',
      actor: { type: 'system', name: 'public link' },
    });
  });

  it('say the same for all that opens nothing, and about as fast', async () => {
    const id = await reached();
    const path = await linkTo('milestone', id);
    const revoked = await tenant.api.get<{ data: { id: string }[] }>(`${LINKS}?targetId=${id}`);
    const gone = await reached();
    const toGone = await linkTo('milestone', gone);
    const invoice = await linkTo('invoice', (await issued(tenant.api, ISSUABLE)).id);
    await acted(`${LINKS}/${revoked.body.data[0]!.id}/revoke`);
    await asAdmin(
      platform.database,
      `update data.work_milestones set status = 'open', reached_at = null, currency = null where id = $1`,
      [gone],
    );
    const token = (link: string) => link.split('/').at(-1)!;
    const bad = [path, toGone, invoice.replace('invoices', 'milestones'), '/api/public/milestones/x', `${toGone}0`];
    const texts = new Set<string>();
    for (const each of bad)
      for (const call of [() => get(each), () => post(`${each}/accept`, { name: 'Eve' })]) {
        const startedMs = performance.now();
        const { status, text } = await call();
        expect(performance.now() - startedMs).toBeGreaterThan(49);
        expect(status).toBe(404);
        const { instance: _, requestId: __, ...said } = JSON.parse(text) as Record<string, unknown>;
        texts.add(JSON.stringify(said));
      }
    expect(texts.size).toBe(1);
    expect(token(path)).toMatch(/^top_link_/);
  });

  it('are created and revoked by whoever may share the record, for what can be accepted', async () => {
    const id = await reached();
    const body = { purpose: 'milestone', targetId: id };
    const sender = await platform.key(tenant, ['invoices:read', 'invoices:send', 'milestones:read']);
    expect(await sender.post(LINKS, body)).toMatchObject({ status: 403 });
    const writer = await platform.key(tenant, ['milestones:read', 'milestones:write']);
    const { body: link } = await writer.post<{ id: string }>(LINKS, body);
    expect(link).toMatchObject({ purpose: 'milestone', targetObject: 'work.milestone', status: 'active' });
    expect(await sender.post(`${LINKS}/${link.id}/revoke`)).toMatchObject({ status: 403 });
    expect(await writer.post(`${LINKS}/${link.id}/revoke`)).toMatchObject({ status: 200 });
    const other = await platform.tenant();
    for (const targetId of [tenant.id, id])
      expect(await other.api.post(LINKS, { ...body, targetId })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/targetId', code: 'unknown_reference' }] },
      });
    await acted(`${MILESTONES}/${id}/accept`);
    expect(await writer.post(LINKS, body)).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
    expect(await tenant.api.post(LINKS, { ...body, purpose: 'console' })).toMatchObject({ status: 400 });
  });
});

if (!chromiumAvailable())
  process.stderr.write('chromium is not on the PATH: the public pages are not opened in a browser\n');

(chromiumAvailable() ? describe : describe.skip)('in Chromium', () => {
  let chromium: Chromium;
  beforeAll(async () => {
    chromium = await startChromium();
  });
  afterAll(() => chromium.close());

  it.each([
    ['a telephone', { width: 360, height: 740 }],
    ['a desk', { width: 1280, height: 800 }],
  ])('they work without scripts, fit the screen of %s, and name their fields', async (_, viewport) => {
    await tenant.api.patch('/api/admin/settings', { branding: { displayName: 'Acme', primaryColor: '#e4572e' } });
    const context = await chromium.newContext({ javaScriptEnabled: false, viewport, extraHTTPHeaders: somewhere() });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    const fits = async () => {
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect(width).toBeLessThanOrEqual(viewport.width);
    };
    await page.goto(platform.url + (await linkTo('invoice', (await issued(tenant.api, ISSUABLE)).id)));
    await fits();

    const milestone = await reached({ billableMinor: 400_000 });
    await page.goto(platform.url + (await linkTo('milestone', milestone)));
    await page.getByLabel('Your name').fill('Grace Hopper');
    await fits();
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByText('by Grace Hopper').waitFor();
    await fits();

    await advertised({ name: 'Backend engineer', location: { city: 'Berlin', country: 'DE', remote: true } });
    await page.goto(`${platform.url}/api/public/careers/${tenant.slug}`);
    await fits();
    await page.getByRole('link', { name: 'Backend engineer' }).click();
    await page.getByLabel('Full name').fill('Ada Lovelace');
    await page.getByLabel('E-mail address').fill('ada@example.com');
    await page.getByLabel('I agree that Acme').check();
    await fits();
    platform.clock.advance(3_000);
    await page.getByRole('button', { name: 'Send application' }).click();
    await page.getByText('Acme has received your application').waitFor();
    await fits();
    await page.getByRole('link', { name: 'All jobs at Acme' }).click();
    expect(await page.title()).toBe('Jobs at Acme · Acme');
    await page.goto(`${platform.url}/api/public/invoices/nothing`);
    await fits();
    expect(faults.filter((fault) => !fault.includes('404'))).toEqual([]);
    await context.close();
  });
});
