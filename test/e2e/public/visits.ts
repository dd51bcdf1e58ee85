import { createHash } from 'node:crypto';
import { Browser } from '../../harness/browser.js';
import type { TestPlatform, TestTenant } from '../../harness/platform.js';

export const LINKS = '/api/settings/public-links';
export const MILESTONES = '/api/v1/work/milestones';
export const JOBS = '/api/v1/talent/jobs';
export type Json = Record<string, unknown>;
/** Text that would be markup if it were not escaped. */
export const EVIL = `"'><script>alert(1)</script><img src=x onerror=alert(1)> {{7*7}}`;

/** Visitors of public pages, and what the tenant makes for them. */
export function visitsOf(platform: TestPlatform, tenant: () => TestTenant) {
  let address = 0;
  /** A request from an address of its own. */
  const somewhere = () => ({ 'x-forwarded-for': `10.8.${Math.floor(++address / 250)}.${(address % 250) + 1}` });
  const get = (path: string) => platform.anonymous().get<Json>(path, somewhere());
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    platform.anonymous().post<Json>(path, body, { ...somewhere(), ...headers });
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
  const submit = (browser: Browser, path: string, fields: Record<string, string>) =>
    browser.open(platform.url + path, { method: 'POST', headers: FORM, body: new URLSearchParams(fields).toString() });
  const visit = (path: string) => new Browser(somewhere()).open(platform.url + path);

  async function made(path: string, body: object): Promise<string> {
    const { status, body: record, text } = await tenant().api.post<{ id: string }>(path, body);
    if (status !== 201) throw new Error(text);
    return record.id;
  }

  async function acted(path: string, body: object = {}): Promise<void> {
    const { status, text } = await tenant().api.post(path, body);
    if (status !== 200) throw new Error(text);
  }

  async function linkTo(purpose: string, targetId: string, more: object = {}): Promise<string> {
    const { status, body, text } = await tenant().api.post<{ publicUrl: string }>(LINKS, {
      purpose,
      targetId,
      ...more,
    });
    if (status !== 201) throw new Error(text);
    return new URL(body.publicUrl).pathname;
  }

  async function reached(more: object = {}): Promise<string> {
    const projectId = await made('/api/v1/work/projects', { name: `Website ${EVIL}` });
    const id = await made(MILESTONES, { name: `Go-live ${EVIL}`, description: EVIL, projectId, ...more });
    await acted(`${MILESTONES}/${id}/reach`);
    return id;
  }

  async function advertised(more: object = {}): Promise<string> {
    const id = await made(JOBS, {
      name: `Engineer ${EVIL}`,
      description: `${EVIL}\n\nSecond`,
      isPublic: true,
      ...more,
    });
    await acted(`${JOBS}/${id}/open`);
    return id;
  }

  return { somewhere, get, post, submit, visit, made, acted, linkTo, reached, advertised };
}

/** What each page of a tenant keeps to. */
export function expectHarmless(
  { headers, text }: { headers: Headers; text: string },
  { isPersonal = true } = {},
): void {
  const policy = headers.get('content-security-policy');
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'sha256-[^' ]+'; img-src 'self'; base-uri 'none'; form-action /,
  );
  expect(policy).toMatch(/form-action ('none'|'self'); frame-ancestors 'none'$/);
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('x-robots-tag')).toBe(isPersonal ? 'noindex, nofollow' : null);
  expect(headers.get('vary')).toMatch(/accept/i);
  for (const part of ['<script', '<img src=x', 'style="']) expect(text).not.toContain(part);
  expect(text).toContain('<html lang="en">');
  expect(text).toContain('<main>');
}

export function nonceOf({ challenge, difficulty }: { challenge: string; difficulty: number }): string {
  for (let nonce = 0; ; nonce += 1) {
    const bits = createHash('sha256').update(`${challenge}.${nonce}`).digest().readUInt32BE(0);
    if (Math.clz32(bits) >= difficulty) return String(nonce);
  }
}
