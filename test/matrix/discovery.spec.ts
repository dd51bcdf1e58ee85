import { SYSTEM_ROLES } from '#libs/auth/roles.js';
import { documentedOperations } from '#libs/http/openapi/references.js';
import type { DiscoveredOperation } from '#src/areas/discovery/operations/operation.dto.js';
import type { Answer, Client } from '../harness/client.js';
import { everyPage } from '../harness/pages.js';
import type { TestTenant } from '../harness/platform.js';
import { makeKey, makeSession } from './keys.js';
import { everyOperationOf, NOWHERE, type Operation, SAFE_POSTS } from './operations.js';
import { credentialFor, fromSomewhere, pathWith, type Running, startRunning } from './running.js';

/** Compares the discovery of each operation with the OpenAPI document and with actual responses. */
const platform: Running = await startRunning();
const operations = everyOperationOf(platform.document).filter(({ alias }) => !alias);
afterAll(() => platform.close());

/** Concurrent requests. */
const AT_ONCE = 8;

let tenant: TestTenant;
beforeAll(async () => {
  tenant = await platform.tenant();
});

async function discovered(api: Client): Promise<Map<string, DiscoveredOperation>> {
  const all = await everyPage<DiscoveredOperation>(api, '/api/discovery/operations', fromSomewhere());
  return new Map(all.map((each) => [each.id, each]));
}

/** Reads are sent unchanged. Writes get an invalid query, which is detected after authorization. */
function ask(api: Client, operation: Operation, headers: Record<string, string> = {}): Promise<Answer> {
  const path = pathWith(operation, () => NOWHERE);
  const query = operation.method === 'GET' ? '' : '?nonsense=1';
  return api.send(operation.method, `${path}${query}`, undefined, { ...fromSomewhere(), ...headers });
}

async function inTurn<T>(all: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  const rest = [...all];
  const worker = async (): Promise<void> => {
    for (let each = rest.shift(); each !== undefined; each = rest.shift()) await work(each);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Operations for which discovery is wrong for a caller, with the actual response. */
async function mistaken(api: Client, headers: Record<string, string> = {}): Promise<string[]> {
  const said = await discovered(api);
  const wrong: string[] = [];
  await inTurn(operations, async (operation) => {
    const { allowed, refusal } = said.get(operation.id)!;
    if (operation.open) {
      if (!allowed) wrong.push(`${operation.id}: open`);
      return;
    }
    const { status, body } = await ask(api, operation, operation.scim ? headers : {});
    const isRefused = status === 401 || status === 403;
    const code = operation.scim ? (isRefused ? refusal?.code : undefined) : body['code'];
    if (allowed === isRefused || (isRefused && code !== refusal?.code))
      wrong.push(
        `${operation.id}: allowed ${allowed} (${refusal?.code ?? '-'}), got ${status} ${String(body['code'])}`,
      );
  });
  return wrong;
}

it('lists the operations of the document with the same data', async () => {
  const said = await discovered(tenant.api);
  const documented = documentedOperations(platform.document).map(({ operation }) => operation.operationId);
  expect([...said.keys()].sort()).toEqual([...new Set(documented)].sort());
  for (const operation of operations) {
    const {
      id,
      method,
      path,
      scopes,
      partialScopes,
      idempotent,
      open,
      scim,
      besides,
      protected: isProtected,
    } = operation;
    expect(said.get(id)).toMatchObject({
      ...{ id, method, path, scopes, partialScopes, idempotent },
      access: open ? 'public' : scim ? 'scim_token' : 'credential',
      rateClass: open ? null : scim ? 'scim' : method === 'GET' || SAFE_POSTS.has(id) ? 'read' : 'write',
      protected: isProtected !== false,
      protectedMembers: Array.isArray(isProtected) ? isProtected : [],
    });
    expect(said.get(id)!.conditionalScopes.map(({ scope }) => scope)).toEqual(besides);
  }
});

it.each(Object.keys(SYSTEM_ROLES))('%s may do exactly what discovery says', async (role) => {
  const { api } = await platform.member(tenant, `The ${role}`, ['*'], { roles: [role] });
  expect(await mistaken(api)).toEqual([]);
});

it('is also correct for a key with few scopes and one that allows protected operations', async () => {
  expect(await mistaken(await platform.key(tenant, ['deals:read', 'invoices:*']))).toEqual([]);
  const { text } = await makeKey(platform.admin, tenant.id, { allowProtected: true });
  const [first] = operations;
  const said = await everyPage<DiscoveredOperation>(
    platform.anonymous(),
    '/api/discovery/operations',
    credentialFor(first!, text),
  );
  const isProtected = said.filter((each) => each.protected);
  expect(isProtected.length).toBeGreaterThan(3);
  expect(isProtected.every(({ allowed }) => allowed)).toBe(true);
});

describe('a session', () => {
  const sessionOf = async (role: string, hasFactor: boolean): Promise<Client> => {
    const { id } = await platform.member(tenant, `${role} in person`, ['*'], { roles: [role] });
    const { text } = await makeSession(platform.admin, tenant.id, { memberId: id, hasFactor });
    return platform.anonymous().as({ authorization: `Bearer ${text}` });
  };

  it.each([
    ['owner', true],
    ['owner', false],
    ['member', false],
  ])('of the %s lists exactly the allowed operations, with a second factor: %s', async (role, hasFactor) => {
    expect(await mistaken(await sessionOf(role, hasFactor))).toEqual([]);
  });
});
