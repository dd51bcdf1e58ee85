import { randomInt } from 'node:crypto';
import type pg from 'pg';
import type { Answer, Client } from '../harness/client.js';
import { adminPool } from '../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../harness/platform.js';
import type { Call, Scene } from './fixture-parts.js';
import { type Json, NOWHERE, type Operation, operationsOf } from './operations.js';

/** A running platform with helpers for the generated tests. */
export interface Running extends TestPlatform {
  operations: Operation[];
  /** Direct database access. */
  admin: pg.Pool;
}

/**
 * Starts the API with trusted proxy headers, so that a test can use many IP addresses. A generated case without
 * assertions fails; filter it out of its list.
 */
export async function startRunning(): Promise<Running> {
  beforeEach(() => expect.hasAssertions());
  const platform = await startPlatform({ env: { TRUSTED_PROXIES: '127.0.0.1/32' } });
  const admin = adminPool(platform.database.adminUrl, 4);
  return {
    ...platform,
    operations: operationsOf(platform.document),
    admin,
    close: async () => {
      await admin.end();
      await platform.close();
    },
  };
}

/** The tenant in the form that fixtures need. */
export function sceneOf({ admin }: Running, tenant: TestTenant, label: string): TestTenant & Scene {
  return { ...tenant, tenantId: tenant.id, admin, label };
}

/** Headers of a request from a unique IP address, so that limits per address are not reached. */
export function fromSomewhere(): Record<string, string> {
  return { 'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}` };
}

/** The path of an operation with `value` for each parameter. */
export function pathWith({ path }: Operation, value: (name: string) => string): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => value(name));
}

/** The value of a path parameter. Fixtures call the only parameter of a path `id`, regardless of its name. */
export function pathValueOf({ path }: Operation, call: Call, name: string): string | undefined {
  return call.path?.[name] ?? (path.split('{').length === 2 ? call.path?.['id'] : undefined);
}

/** The URL of a call. A path parameter without a value gets an id that does not exist. */
export function urlOf(operation: Operation, call: Call): string {
  const path = pathWith(operation, (name) => pathValueOf(operation, call, name) ?? NOWHERE);
  const query = new URLSearchParams(call.query).toString();
  return query ? `${path}?${query}` : path;
}

export function send<T = Json>(
  api: Client,
  operation: Operation,
  call: Call,
  headers: Record<string, string> = {},
): Promise<Answer<T>> {
  return api.send<T>(operation.method, urlOf(operation, call), call.body, headers);
}

/** Number of audit rows and events in a database, optionally of one request. */
export interface Effects {
  audit: number;
  events: number;
}

export async function effectsOf(admin: pg.Pool, tenantId: string): Promise<Effects> {
  const { rows } = await admin.query<Effects>(
    `select (select count(*)::int from data.audit_log where tenant_id = $1) as audit,
       (select count(*)::int from data.events where tenant_id = $1) as events`,
    [tenantId],
  );
  return rows[0]!;
}

/** Matcher for a problem: its code, or its status as text in SCIM, which has no codes. */
export function problem({ scim }: Operation, status: number, code: string): object {
  return { status, body: scim ? { schemas: [SCIM_ERROR], status: String(status) } : { code } };
}

const SCIM_ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** Header to send a credential for an operation. */
export function credentialFor({ scim }: Operation, text: string): Record<string, string> {
  return scim ? { authorization: `Bearer ${text}` } : { 'x-api-key': text };
}

/** Query for a page with one item: the first one, or the one after a cursor. */
export function pageOfOne({ scim }: Operation, cursor?: string): Record<string, string> {
  if (scim) return { count: '1', cursor: cursor ?? '' };
  return { limit: '1', ...(cursor === undefined ? {} : { cursor }) };
}

/** Cursor of the next page; null on the last. */
export function nextCursorOf({ body }: Answer): string | null {
  const page = body['page'] as { nextCursor?: string | null } | undefined;
  return (body['nextCursor'] as string | undefined) ?? page?.nextCursor ?? null;
}

/** Calls that an operation refuses with 400 in any case. */
export function malformed({ scim, body }: Operation, call: Call): Call[] {
  if (!scim) {
    const nonsense = { ...call, query: { ...call.query, nonsense: '1' } };
    return [nonsense, ...(body ? [{ ...call, body: { ...call.body, nonsense: 1 } }] : [])];
  }
  if (!body) return [];
  return [{ ...call, body: { ...call.body, displayName: {}, count: 'some', Operations: 1 } }];
}
