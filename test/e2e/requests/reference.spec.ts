import type { OpenAPIObject } from '@nestjs/swagger';
import fastify from 'fastify';
import type { Browser, Page } from 'playwright-core';
import { documentedOperations } from '#libs/http/openapi/references.js';
import { serveDocs } from '#src/api/docs.js';
import { chromiumAvailable, startChromium } from '../../harness/chromium.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

/** The document with so many operations: copies with paths and tags of their own. */
function enlarged(document: OpenAPIObject, operations: number): OpenAPIObject {
  const paths: OpenAPIObject['paths'] = { ...document.paths };
  const originals = documentedOperations(document).filter(({ aliasOf }) => aliasOf === null);
  for (let made = originals.length; made < operations; made++) {
    const { path, method, operation } = originals[made % originals.length]!;
    const copy = Math.floor(made / originals.length);
    const [area, ...rest] = operation.operationId.split('.');
    const operationId = `${area}${copy}.${rest.join('.')}`;
    const again = { ...operation, operationId, tags: [`${operation.tags![0]} ${copy}`] };
    paths[`/copy${copy}${path}`] = { ...paths[`/copy${copy}${path}`], [method]: again };
  }
  return { ...document, paths };
}

const count = (document: OpenAPIObject) =>
  documentedOperations(document).filter(({ aliasOf }) => aliasOf === null).length;

describe('the pages', () => {
  it('describe each operation and event once, and their links lead somewhere', async () => {
    const open = async (path: string) => {
      platform.clock.advance(61_000);
      const { status, text } = await platform.anonymous().get<string>(path);
      expect([path, status]).toEqual([path, 200]);
      return text;
    };
    const index = await open('/docs');
    const paths = new Set([...index.matchAll(/href="(\/docs\/api\/[^"#]+)"/g)].map(([, path]) => path!));
    const anchors: string[] = [];
    const links: string[] = [...index.matchAll(/href="(\/docs[^"]*#[^"]+)"/g)].map(([, link]) => link!);
    for (const path of [...paths, '/docs', '/docs/errors']) {
      const text = await open(path);
      anchors.push(...[...text.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => `${path}#${id}`));
      links.push(
        ...[...text.matchAll(/href="([^"]*#[^"]+)"/g)].map(([, link]) =>
          link!.startsWith('#') ? path + link! : link!,
        ),
      );
      expect(text).not.toMatch(/undefined|\[object Object\]/);
    }
    const places = new Map<string, number>();
    for (const each of anchors) places.set(each, (places.get(each) ?? 0) + 1);
    for (const link of new Set(links)) expect([link, places.get(link)]).toEqual([link, 1]);
    const ids = documentedOperations(platform.document).map(({ operation }) => operation.operationId);
    const events = Object.keys(platform.document.webhooks!).filter((name) => name !== '*');
    const described = anchors.map((each) => each.split('#')[1]!);
    expect(described.filter((id) => ids.includes(id) || events.includes(id)).sort()).toEqual(
      [...new Set([...ids, ...events])].sort(),
    );
  });

  it('tell of an operation what to send, a command and what comes back', async () => {
    const { text } = await platform.anonymous().get<string>('/docs/api/sales-deals');
    const [, section] = /(<section class="operation" id="sales\.deals\.update">[\s\S]*?<\/section>)/.exec(text)!;
    for (const part of [
      '<b class="method patch">PATCH</b> <code>/api/v1/sales/deals/{id}</code>',
      'scope <code>deals:write</code>',
      '<code>deals:close</code> besides: If the change wins',
      'also <code>/api/sales/deals/{id}</code>',
      '<code>nextStep</code>',
      'curl -sS -X PATCH &quot;$BASE/api/v1/sales/deals/$ID&quot;',
      '<a href="#model.DealView">DealView</a>',
      '<a href="/docs/errors#version_mismatch">',
    ])
      expect(section).toContain(part);
    expect(text).toContain('<details id="model.DealView">');
  });

  it('are 404 for an unknown tag', async () => {
    const answer = await platform.anonymous().get('/docs/api/zebras');
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it('an icon answers what browsers ask for everywhere', async () => {
    const { status, headers } = await platform.anonymous().get('/favicon.ico');
    expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  });
});

if (!chromiumAvailable())
  process.stderr.write('chromium is not on the PATH: the reference is not opened in a browser\n');

(chromiumAvailable() ? describe : describe.skip)('in Chromium', () => {
  let browser: Browser;
  let page: Page;
  let errors: string[];
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    page = await browser.newPage();
    errors = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  });
  afterEach(async () => {
    await page.close();
    expect(errors).toEqual([]);
  });

  /** Opens a page. @returns the seconds of processor time that it has taken the browser until it is usable. */
  async function open(url: string): Promise<number> {
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.goto(url);
    expect(await page.evaluate('1 + 1')).toBe(2);
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')!.value;
  }

  /** Unfolds every tag as a reader does. @returns how many operations and events are shown then. */
  async function unfoldAll(): Promise<number> {
    for (const summary of await page.locator('#operations summary').all()) await summary.click();
    return page.locator('#operations li:visible').count();
  }

  it('the reference is usable within 2 s, and every tag unfolds', async () => {
    expect(await open(`${platform.url}/docs`)).toBeLessThan(2);
    const events = Object.keys(platform.document.webhooks!).length - 1;
    expect(await unfoldAll()).toBe(count(platform.document) + events);
  });

  it('so it is with 1,500 operations', async () => {
    const document = enlarged(platform.document, 1_500);
    const server = fastify();
    server.decorateRequest('scope');
    server.addHook('onRequest', async (request) => void (request.scope = { clientIp: null } as never));
    const limits = { count: () => Promise.resolve(null) };
    serveDocs(server, { limits, openapi: () => Promise.resolve(document), origin: () => 'http://127.0.0.1' });
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    try {
      expect(await open(`${url}/docs`)).toBeLessThan(2);
      expect(count(document)).toBe(1_500);
      await page.evaluate(`document.querySelectorAll('#operations details').forEach((each) => (each.open = true))`);
      const events = Object.keys(document.webhooks!).length - 1;
      expect(await page.locator('#operations li:visible').count()).toBe(count(document) + events);
    } finally {
      await server.close();
    }
  });

  it('a search finds an operation from any page, and its link leads to it', async () => {
    await page.goto(`${platform.url}/docs/errors`);
    await page.keyboard.press('/');
    await page.keyboard.type('win deal');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs?q=win+deal');
    await page.getByRole('link', { name: 'Win a deal', exact: true }).first().click();
    await page.waitForURL('**/docs/api/sales-deals#sales.deals.win');
    const section = page.locator('[id="sales.deals.win"]');
    expect(await section.locator('.path').textContent()).toBe('POST /api/v1/sales/deals/{id}/win');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await section.getByRole('button', { name: 'Copy' }).first().click();
    await section.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(
      'curl -sS -X POST "$BASE/api/v1/sales/deals/$ID/win"',
    );
  });

  it('a link to a model unfolds it', async () => {
    await page.goto(`${platform.url}/docs/api/sales-deals`);
    await page.getByRole('link', { name: 'DealView', exact: true }).first().click();
    await page.locator('[id="model.DealView"][open]').waitFor();
  });

  it('it works without JavaScript', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(`${platform.url}/docs`);
    expect(await plain.getByRole('searchbox').isVisible()).toBe(false);
    await plain.locator('#sales-deals summary').click();
    await plain.getByRole('link', { name: 'Win a deal', exact: true }).first().click();
    await plain.waitForURL('**/docs/api/sales-deals#sales.deals.win');
    await plain.locator('[id="sales.deals.win"] h2').waitFor({ state: 'visible' });
    await context.close();
  });
});
