import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import type { Answer, Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import type { TestPlatform, TestTenant } from '../../harness/platform.js';

export const MEMBERSHIPS = '/api/admin/memberships';
export const ROLES = '/api/admin/roles';
export const WORKSPACES = '/api/admin/workspaces';
export const { owner: OWNER, admin: ADMIN, manager: MANAGER, member: MEMBER, viewer: VIEWER } = SYSTEM_ROLE_IDS;

export interface Membership {
  id: string;
  status: string;
  roleIds: string[];
  workspaceIds: string[];
  version: number;
  apiKeyCount: number;
  lastActiveAt: string | null;
  effects: { type: string; count: number; jobId: string | null }[];
  pendingApproval: { id: string; status: string } | null;
  [field: string]: unknown;
}

export interface Page<T> {
  data: T[];
  page: { hasMore: boolean; nextCursor: string | null };
  [field: string]: unknown;
}

export interface Workspace {
  id: string;
  name: string;
  leadId: string | null;
  isDefault: boolean;
  version: number;
  code: string;
}

export interface Place {
  membership: { id: string; name: string };
  workspaceRole: string;
  source: string;
}

/** A member with a system role, or a custom one by id, and a key that allows protected operations. */
export async function person(
  platform: TestPlatform,
  tenant: TestTenant,
  role: string,
  scopes = ['*'],
): Promise<{ id: string; api: Client }> {
  const made = await platform.member(tenant, `A ${role}`, scopes, { roles: [role] });
  await asAdmin(platform.database, 'update directory.credentials set allow_protected = true where member_id = $1', [
    made.id,
  ]);
  return made;
}

export function change(api: Client, id: string, body: object): Promise<Answer<Membership & { code: string }>> {
  return api.patch(`${MEMBERSHIPS}/${id}`, body);
}

/** Creates a custom role; returns its id. */
export async function makeRole({ api }: Pick<TestTenant, 'api'>, name: string, permissions: string[]): Promise<string> {
  const answer = await api.post<{ id: string }>(ROLES, { name, permissions });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.id;
}

export async function makeWorkspace(api: Client, name: string, more: object = {}): Promise<string> {
  const answer = await api.post<{ id: string }>(WORKSPACES, { name, ...more });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.id;
}

/** Number of responses by status. */
export function tally(answers: readonly { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Roles of the members of a workspace, by id. */
export async function placesOf({ api }: Pick<TestTenant, 'api'>, id: string): Promise<Record<string, string>> {
  const { body } = await api.get<Page<Place>>(`${WORKSPACES}/${id}/members`);
  return Object.fromEntries(body.data.map((place) => [place.membership.id, place.workspaceRole]));
}

/** Status of a request that only requires a valid key. */
export async function keyWorks(api: Pick<Client, 'get'>): Promise<number> {
  return (await api.get('/api/v1/sales/deals')).status;
}
