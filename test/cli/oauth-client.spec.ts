import { clientSecretHash } from '#libs/auth/api-key.js';
import { asAdmin } from '../harness/database.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { type Operator, operatorOf } from './operator.js';

interface Client {
  clientId: string;
  clientSecret?: string;
}

let platform: TestPlatform;
let operator: Operator;
beforeAll(async () => {
  platform = await startPlatform();
  operator = operatorOf(platform.database.settings);
});
afterAll(() => platform.close());

const CALLBACK = 'https://partner.example/callback';
const create = (...options: string[]) =>
  operator.json<Client>('oauth-client', 'create', '--name', 'Ledger Sync', '--scopes', 'deals:*', ...options);

it('registers a partner with its redirect URIs, and shows the secret once', async () => {
  const uris = [CALLBACK, 'http://127.0.0.1:4000/back', 'http://[::1]/back', 'http://localhost:1/back'];
  const { clientId, clientSecret } = await create(
    ...uris.flatMap((uri) => ['--redirect-uri', uri]),
    '--redirect-uri',
    CALLBACK,
    '--confidential',
  );
  const [stored] = await asAdmin<{ redirect_uris: string[]; secret_hash: Buffer }>(
    platform.database,
    `select redirect_uris, secret_hash from directory.oauth_clients where id = $1`,
    [clientId],
  );
  expect(stored!.redirect_uris).toEqual(uris);
  expect(clientSecretHash(clientSecret!)!.equals(stored!.secret_hash)).toBe(true);
  const open = await create('--redirect-uri', CALLBACK);
  expect(Object.keys(open)).toEqual(['clientId']);
  const { stdout } = await operator.run('oauth-client', 'list', '--json');
  expect(stdout).not.toContain(clientSecret!);
  expect(JSON.parse(stdout)).toMatchObject({
    data: [
      {
        clientId,
        name: 'Ledger Sync',
        redirectUris: uris,
        allowedScopes: ['deals:*'],
        confidential: true,
        status: 'active',
      },
      { clientId: open.clientId, confidential: false },
    ],
  });
});

it('suspends and reactivates a partner', async () => {
  const { clientId } = await create('--redirect-uri', CALLBACK);
  const statusNow = async () => {
    const { data } = await operator.json<{ data: (Client & { status: string })[] }>('oauth-client', 'list');
    return data.find((each) => each.clientId === clientId)!.status;
  };
  const { suspendedAt } = await operator.json('oauth-client', 'suspend', '--id', clientId);
  expect(await operator.json('oauth-client', 'suspend', '--id', clientId)).toEqual({ clientId, suspendedAt });
  expect(await statusNow()).toBe('suspended');
  await operator.json('oauth-client', 'activate', '--id', clientId);
  expect(await statusNow()).toBe('active');
  const unknown = await operator.run('oauth-client', 'suspend', '--id', '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20');
  expect([unknown.exitCode, unknown.stderr]).toEqual([1, expect.stringContaining('There is no OAuth client')]);
});

it.each([
  'http://partner.example/callback',
  'http://127.0.0.1.evil.example/callback',
  'https://partner.example/callback#part',
  'https://user@partner.example/callback',
  'https://*.partner.example/callback',
  'javascript:alert(1)',
  'partner://callback',
  '/callback',
  'https://partner.example/a b',
])('rejects the redirect URI %s', async (uri) => {
  const { exitCode, stderr } = await operator.run(
    ...['oauth-client', 'create', '--name', 'X', '--scopes', 'deals:read', '--redirect-uri', uri],
  );
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--redirect-uri must be')]);
});

it('takes a name of at most 80 characters', async () => {
  const named = (name: string) =>
    operator.run('oauth-client', 'create', '--name', name, '--scopes', 'deals:read', '--redirect-uri', CALLBACK);
  expect((await named('🧾'.repeat(80))).exitCode).toBe(0);
  const { exitCode, stderr } = await named('🧾'.repeat(81));
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--name must be 1 to 80 characters')]);
});

it('rejects unknown scopes, and a partner without a redirect URI', async () => {
  const usage = ['oauth-client', 'create', '--name', 'X'];
  expect((await operator.run(...usage, '--redirect-uri', CALLBACK, '--scopes', 'deals:dance')).exitCode).toBe(2);
  expect((await operator.run(...usage, '--scopes', 'deals:read')).exitCode).toBe(2);
});
