import type { TestTenant } from '../harness/platform.js';
import { callOf } from './fixtures.js';
import { makeKey } from './keys.js';
import { effectsOf, fromSomewhere, type Running, sceneOf, send, startRunning } from './running.js';

/** Protected operations and their requirements. */
const platform: Running = await startRunning();
const operations = platform.operations.filter((each) => each.protected);
afterAll(() => platform.close());

let tenant: TestTenant;
beforeAll(async () => {
  tenant = await platform.tenant();
});

const keyed = async (allowProtected: boolean) => ({
  'x-api-key': (await makeKey(platform.admin, tenant.id, { allowProtected })).text,
});

it('are exactly these; operations protected only for some input are tested elsewhere', () => {
  expect(operations.map(({ name }) => name).sort()).toEqual([
    'admin.audit_logs.export',
    'admin.audit_streams.create',
    'admin.audit_streams.delete',
    'admin.audit_streams.test',
    'admin.audit_streams.update',
    'admin.exports.change',
    'admin.retention.command',
    'admin.roles.create',
    'admin.roles.delete',
    'admin.roles.update',
    'admin.scim.command',
    'admin.scim.delete',
    'admin.secrets.delete',
    'admin.secrets.store',
    'admin.security.mfa.update',
    'admin.settings.update',
    'settings.gates.update',
    'settings.tenant.close',
  ]);
});

/** Each with one body member that makes it protected. */
const asked = operations.flatMap((operation) => {
  const { name } = operation;
  if (!Array.isArray(operation.protected)) return [{ name, operation, body: {} }];
  return operation.protected.map((member) => ({ name: `${name} with ${member}`, operation, body: { [member]: null } }));
});

it.each(asked)('$name is refused for a key without the right and has no effect', async ({ operation, body }) => {
  const scene = sceneOf(platform, tenant, 'protected');
  const known = await callOf(operation, scene);
  const call = Object.keys(body).length > 0 ? { ...known, body } : known;
  const before = await effectsOf(platform.admin, tenant.id);
  const ask = async (allowProtected: boolean) =>
    send(platform.anonymous(), operation, call, { ...fromSomewhere(), ...(await keyed(allowProtected)) });
  const refused = await ask(false);
  expect(refused).toMatchObject({ status: 403, body: { code: 'step_up_required' } });
  // The refusal is audited, and nothing else is written.
  expect(await effectsOf(platform.admin, tenant.id)).toEqual({ ...before, audit: before.audit + 1 });
  expect(await ask(true)).toMatchObject({ status: operation.success });
});
