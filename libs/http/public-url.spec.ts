import { readSettings } from '#libs/config/settings.js';
import { linkTo } from './public-url.js';

it.each([
  [{ PUBLIC_URL: 'https://api.example.com/', HOST: '0.0.0.0' }, 'https://api.example.com'],
  [{ PUBLIC_URL: 'https://example.com/platform/' }, 'https://example.com/platform'],
  [{}, 'http://127.0.0.1:3000'],
  [{ HOST: '0.0.0.0', PORT: '8080' }, 'http://localhost:8080'],
  [{ HOST: '::' }, 'http://localhost:3000'],
  [{ HOST: '0:0:0:0:0:0:0:0' }, 'http://localhost:3000'],
  [{ HOST: '::1' }, 'http://[::1]:3000'],
  [{ HOST: '10.1.2.3' }, 'http://10.1.2.3:3000'],
  [{ HOST: 'api.internal' }, 'http://api.internal:3000'],
])('links begin with an address that can be opened: %j', (env, origin) => {
  expect(linkTo(readSettings(env), '/docs?page=2')).toBe(`${origin}/docs?page=2`);
});

const KEY = Buffer.alloc(32, 1).toString('base64');

it.each(['http://0.0.0.0:3000', 'http://0/', 'http://[::]:3000', 'http://[::ffff:0.0.0.0]/', 'http://[0:0::0]/'])(
  'no start with links to %s',
  (PUBLIC_URL) => {
    for (const env of [{}, { NODE_ENV: 'production', MASTER_KEY: KEY }])
      expect(() => readSettings({ ...env, PUBLIC_URL })).toThrow(`PUBLIC_URL must be an address that people can open`);
  },
);

it('no start in production without the address that links begin with', () => {
  const env = { NODE_ENV: 'production', MASTER_KEY: KEY, HOST: '10.1.2.3' };
  for (const PUBLIC_URL of [undefined, '', ' '])
    expect(() => readSettings({ ...env, PUBLIC_URL })).toThrow('PUBLIC_URL is required when NODE_ENV=production');
  for (const PUBLIC_URL of ['https://api.example.com/?a=1', 'https://api.example.com/#a', 'https://me@api.example.com'])
    expect(() => readSettings({ ...env, PUBLIC_URL })).toThrow('PUBLIC_URL must have no query, fragment or user name');
  expect(readSettings({ ...env, PUBLIC_URL: 'https://api.example.com' }).PUBLIC_URL).toBe('https://api.example.com');
});
