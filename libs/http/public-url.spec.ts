import { readSettings } from '#libs/config/settings.js';
import { publicOrigin } from './public-url.js';

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
  expect(publicOrigin(readSettings(env))).toBe(origin);
});
