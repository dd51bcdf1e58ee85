import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { invitationPage, issuer, mailSender, mailServer, origins, selfServicePlans } from './people-settings.js';
import { type Definition, list, partsOf, SettingsError, url } from './setting.js';

const text = (description: string, fallback: string): Definition<string> => ({
  description,
  defaultText: fallback === '' ? 'none' : `\`${fallback}\``,
  parse: (value) => value ?? fallback,
});

const optional = (description: string): Definition<string | null> => ({
  description,
  defaultText: 'none',
  parse: (value) => value ?? null,
});

const integer = (description: string, fallback: number, min: number, max: number): Definition<number> => ({
  description: `${description} (${min} to ${max})`,
  defaultText: `\`${fallback}\``,
  parse: (value) => {
    if (value === undefined) return fallback;
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < min || number > max)
      throw new SettingsError(`must be a whole number from ${min} to ${max}, not "${value}"`);
    return number;
  },
});

const flag = (description: string): Definition<boolean> => ({
  description: `${description}: \`true\` or \`false\``,
  defaultText: '`false`',
  parse: (value = 'false') => {
    if (value !== 'true' && value !== 'false') throw new SettingsError(`must be true or false, not "${value}"`);
    return value === 'true';
  },
});

const choice = <T extends string>(description: string, values: readonly T[], fallback: T): Definition<T> => ({
  description: `${description}: ${values.map((value) => `\`${value}\``).join(', ')}`,
  defaultText: `\`${fallback}\``,
  parse: (value) => {
    if (value === undefined) return fallback;
    const found = values.find((known) => known === value);
    if (!found) throw new SettingsError(`must be one of ${values.join(', ')}, not "${value}"`);
    return found;
  },
});

const cidrs = (description: string): Definition<string[]> => ({
  description,
  defaultText: 'none',
  parse: (value) =>
    partsOf(value).map((part) => {
      const [address = '', bits, rest] = part.split('/');
      const family = isIP(address);
      const length = Number(bits);
      if (!family || rest !== undefined || !/^\d+$/.test(bits ?? '') || length > (family === 4 ? 32 : 128))
        throw new SettingsError(`"${part}" is not a network such as 10.0.0.0/8`);
      return part;
    }),
});

const masterKey = (): Definition<Buffer | null> => ({
  description:
    'Key that seals the data keys of the tenants, 32 bytes in base64. Required when `NODE_ENV=production`; otherwise made once and kept in `DATA_DIR/master.key` (mode 0600)',
  defaultText: 'generated',
  parse: (value, env) => {
    if (value === undefined) {
      if (env['NODE_ENV'] === 'production')
        throw new SettingsError('is required when NODE_ENV=production (openssl rand -base64 32)');
      return null;
    }
    const key = Buffer.from(value, 'base64');
    if (key.length !== 32 || key.toString('base64').replace(/=+$/, '') !== value.replace(/=+$/, ''))
      throw new SettingsError('must be 32 bytes in base64 (openssl rand -base64 32)');
    return key;
  },
});

const POSTGRES = ['postgres:', 'postgresql:'];

/** Every setting of the platform. The table in docs/reference/settings.md is generated from this. */
export const SETTINGS = {
  NODE_ENV: choice('Kind of installation', ['development', 'test', 'production'], 'development'),
  HOST: text('Address the API listens on', '127.0.0.1'),
  PORT: integer('Port the API listens on; 0 takes a free one', 3000, 0, 65_535),
  PUBLIC_URL: url(
    'Address under which others reach the API, such as `https://api.example.com`, for the links in mails and the absolute URLs that it gives out; without it `http://`, `HOST` (`localhost` if that stands for all addresses) and `PORT`',
    ['http:', 'https:'],
  ),
  DATA_DIR: {
    description: 'Folder of the embedded database, the generated keys and the demo credentials',
    defaultText: '`.data`',
    parse: (value) => resolve(value ?? '.data'),
  } as Definition<string>,
  LOG_LEVEL: choice('Least severe log line written', ['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'info'),
  DATABASE_URL: url(
    'PostgreSQL 15 or newer in place of the embedded one, as a role that may create schemas and roles; used to migrate and by the operator CLI',
    POSTGRES,
  ),
  DATABASE_APP_URL: url(
    'Connection of the API processes. Without it, `DATABASE_URL` with the role `<prefix>_app` and a password derived from `MASTER_KEY`',
    POSTGRES,
  ),
  DATABASE_SYSTEM_URL: url(
    'Connection of the worker processes and the CLI. Without it, as above with `<prefix>_system`',
    POSTGRES,
  ),
  DATABASE_ROLE_PREFIX: {
    description: 'First part of the names of the database roles that the platform makes',
    defaultText: 'name of the database',
    parse: (value) => {
      if (value !== undefined && !/^[a-z][a-z0-9_]{0,40}$/.test(value))
        throw new SettingsError('must be lower-case letters, digits and underscores, at most 41 of them');
      return value ?? null;
    },
  } as Definition<string | null>,
  DATABASE_POOL_SIZE: integer('Database connections of one process', 10, 2, 200),
  DATABASE_STATEMENTS: choice(
    'How API processes send statements: `named` ones are prepared once for each connection, `unnamed` ones each time, for a pooler in transaction mode that does not keep track of names (PgBouncer before 1.21, or with `max_prepared_statements = 0`)',
    ['named', 'unnamed'],
    'named',
  ),
  MAX_REQUESTS: integer(
    'Requests that one API process works on at a time, a body counting as one more for each 64 KiB; a tenant may have as many as are left free, so half of them at most. Others are refused with 503 `overloaded`',
    500,
    50,
    10_000,
  ),
  MAX_CONNECTIONS: integer(
    'Connections that one API process keeps open; others are closed at once. The process needs as many open files (`ulimit -n`), and some more',
    15_000,
    100,
    1_000_000,
  ),
  CLIENT_TIMEOUT_SECONDS: integer(
    'Longest time for a client to send a request, and for it to read the answer',
    30,
    1,
    600,
  ),
  REDIS_URL: url(
    'Redis or Valkey for the queues and for the rate limits that several API processes share; without it the queues run on PostgreSQL and each process limits on its own',
    ['redis:', 'rediss:'],
  ),
  MASTER_KEY: masterKey(),
  METRICS_PORT: integer(
    'Port on which each process serves `GET /metrics` without a token; 0 turns it off',
    0,
    0,
    65_535,
  ),
  METRICS_TOKEN: optional('Bearer token with which `GET /metrics` is served on the API port'),
  TRUSTED_PROXIES: cidrs(
    'Networks of the proxies in front of the API, whose `X-Forwarded-For` is believed, separated by commas',
  ),
  WEBHOOK_ALLOWED_CIDRS: cidrs(
    'Private networks that webhook targets and AI providers may use, separated by commas; inside them `http:`, IP literals, `localhost` and any port are accepted',
  ),
  WEBHOOK_DENIED_CIDRS: cidrs(
    'Networks, public ones too, that webhook targets and AI providers may not use, separated by commas; they win over `WEBHOOK_ALLOWED_CIDRS`',
  ),
  EVENT_RETENTION_DAYS: integer('Days for which events and deliveries are kept, and can be recovered', 30, 7, 3_650),
  WEBHOOK_REQUIRE_VERIFICATION: flag(
    'Whether new webhook endpoints, and those whose URL gets another origin, get nothing until they have answered a challenge (`POST /api/webhooks/endpoints/{id}/verify`)',
  ),
  SMTP_URL: mailServer(),
  MAIL_FROM: mailSender(),
  INVITATION_URL: invitationPage(),
  OIDC_ISSUER: issuer(),
  OIDC_CLIENT_ID: optional(
    'Client id of the platform at the OpenID provider, for signing in by browser (`GET /api/auth/login`); its redirect URI there is `PUBLIC_URL` with `/api/auth/callback`. Without it only apps that bring an ID token sign people in',
  ),
  OIDC_CLIENT_SECRET: optional('Secret of that client; none for a public one. The flow has PKCE either way'),
  OIDC_AUDIENCE: {
    ...list(
      'Client ids of the apps at the OpenID provider whose ID tokens are taken for a session (`POST /api/auth/session`), separated by commas',
    ),
    defaultText: '`OIDC_CLIENT_ID`',
    parse: (value, env) => partsOf(value ?? env['OIDC_CLIENT_ID']),
  } as Definition<string[]>,
  SELF_SERVICE_PLANS: selfServicePlans(),
  SELF_SERVICE_TENANTS: integer(
    'Open tenants that one person may have founded for themselves, where `SELF_SERVICE_PLANS` lets them',
    3,
    1,
    100,
  ),
  CORS_ORIGINS: origins(
    'Origins of web pages besides our own that may call the API with the session of the browser, separated by commas',
  ),
  WORKER_CONCURRENCY: integer('Deliveries that one worker process sends at a time', 50, 1, 1_000),
  AI_CONCURRENCY: integer('AI jobs that one worker process runs at a time', 20, 1, 200),
  AI_LOCAL_PRICE_MICROS_PER_1K: integer(
    'What 1,000 tokens of the built-in AI model cost, in millionths of the tenant’s currency',
    0,
    0,
    1_000_000_000,
  ),
  AI_CALL_TIMEOUT_SECONDS: integer('Longest wait for one answer of a model', 60, 1, 600),
} satisfies Record<string, Definition<unknown>>;

export type SettingName = keyof typeof SETTINGS;
export type Settings = { readonly [N in SettingName]: ReturnType<(typeof SETTINGS)[N]['parse']> };

/** DI token of the settings. */
export const SETTINGS_TOKEN = Symbol('settings');

/**
 * Reads every setting from the environment, once.
 * @throws SettingsError naming each setting that cannot be used.
 */
export function readSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  const failures: string[] = [];
  const values = Object.entries(SETTINGS).map(([name, definition]) => {
    const value = env[name]?.trim();
    try {
      return [name, definition.parse(value === '' ? undefined : value, env)];
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      failures.push(`${name} ${error.message}`);
      return [name, undefined];
    }
  });
  if (failures.length > 0) throw new SettingsError(failures.join('; '));
  return Object.fromEntries(values) as Settings;
}
