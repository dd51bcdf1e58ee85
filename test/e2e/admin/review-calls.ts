import { DAY_MS } from '#libs/kernel/durations.js';
import type { Answer, Client } from '../../harness/client.js';
import type { TestPlatform, TestTenant } from '../../harness/platform.js';
import { person } from './people-calls.js';

export const REVIEWS = '/api/admin/compliance/access-reviews';

export interface Item {
  id: string;
  subject: { type: string; id: string; name: string };
  snapshot: {
    roles: { id: string; name: string }[];
    permissionCount: number;
    mfa: boolean | null;
    [field: string]: unknown;
  };
  flags: string[];
  reviewerId: string;
  decision: string;
  reason: string | null;
  decidedBy: { type: string; id: string | null } | null;
  history: { decision: string }[];
  appliedAt: string | null;
  applyError: { code: string; detail: string } | null;
}

export interface Review {
  id: string;
  status: string;
  version: number;
  dueAt: string;
  startedAt: string | null;
  overdueAt: string | null;
  populationHash: string | null;
  itemCount: number;
  stats: Record<string, number | null>;
  effects: { type: string; id: string; name: string }[];
  results: { itemId: string; ok: boolean; item: Item | null; error: { code: string; errors?: unknown[] } | null }[];
  items: { data: Item[]; page: { hasMore: boolean; nextCursor: string | null } };
  code: string;
  allowedActions?: string[];
  errors?: { pointer: string; code: string }[];
  [field: string]: unknown;
}

/** Sends a command. */
export function command(api: Pick<Client, 'post'>, body: object): Promise<Answer<Review>> {
  return api.post<Review>(REVIEWS, body);
}

/** Creates a review; it starts at once. */
export async function startReview(
  platform: TestPlatform,
  api: Pick<Client, 'post'>,
  scope: object,
  more: object = {},
): Promise<Review> {
  const dueAt = new Date(platform.clock.nowMs() + 14 * DAY_MS).toISOString();
  const { status, body, text } = await command(api, { name: 'Review', scope, dueAt, start: true, ...more });
  if (status !== 200) throw new Error(text);
  return body;
}

/** The items of a review that the caller sees, by name of the subject. */
export async function itemsOf(api: Pick<Client, 'get'>, id: string, query = ''): Promise<Map<string, Item>> {
  const { status, body, text } = await api.get<Review>(`${REVIEWS}?campaignId=${id}&limit=200${query}`);
  if (status !== 200) throw new Error(text);
  return new Map(body.items.data.map((item) => [item.subject.name, item]));
}

/** Decides items alike. */
export function decide(
  api: Pick<Client, 'post'>,
  campaignId: string,
  items: Iterable<Pick<Item, 'id'>>,
  decision: string,
  more: object = { reason: 'Checked' },
): Promise<Answer<Review>> {
  const decisions = [...items].map(({ id: itemId }) => ({ itemId, decision, ...more }));
  return command(api, { action: 'decide', campaignId, decisions });
}

export interface Crew {
  owner: { id: string; api: Client };
  deputy: { id: string; api: Client };
  reviewer: { id: string; api: Client };
}

/** Two owners and a manager who reviews. */
export async function crewOf(platform: TestPlatform, tenant: TestTenant): Promise<Crew> {
  return {
    owner: await person(platform, tenant, 'owner'),
    deputy: await person(platform, tenant, 'admin'),
    reviewer: await person(platform, tenant, 'manager'),
  };
}
