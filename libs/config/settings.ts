import { resolve } from 'node:path';
import { networkOf } from '#libs/kernel/network.js';
import { fileStore, scanner } from './file-settings.js';
import {
  invitationPage,
  issuer,
  mailSender,
  mailServer,
  multiFactorAcr,
  origins,
  publicAddress,
  selfServicePlans,
} from './people-settings.js';
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
      if (!part.includes('/') || networkOf(part) === null)
        throw new SettingsError(`"${part}" is not a network such as 10.0.0.0/8`);
      return part;
    }),
});

const masterKey = (): Definition<Buffer | null> => ({
  description:
    'Key that encrypts the data keys of the tenants, 32 bytes in base64. Required when `NODE_ENV=production`; otherwise generated once and stored in `DATA_DIR/master.key` (mode 0600)',
  defaultText: 'generated',
  parse: (value, env) => {
    if (value !== undefined) return keyOf(value);
    if (env['NODE_ENV'] === 'production')
      throw new SettingsError('is required when NODE_ENV=production (openssl rand -base64 32)');
    return null;
  },
});

const previousMasterKey = (): Definition<Buffer | null> => ({
  description:
    'The master key before a rotation, accepted until `master-key rotate` has finished; 32 bytes in base64. Without `MASTER_KEY`, the one in `DATA_DIR/master.key.previous`',
  defaultText: 'none',
  parse: (value) => (value === undefined ? null : keyOf(value)),
});

function keyOf(value: string): Buffer {
  const key = Buffer.from(value, 'base64');
  if (key.length !== 32 || key.toString('base64').replace(/=+$/, '') !== value.replace(/=+$/, ''))
    throw new SettingsError('must be 32 bytes in base64 (openssl rand -base64 32)');
  return key;
}

const POSTGRES = ['postgres:', 'postgresql:'];

/** All settings of the platform. The table in docs/reference/settings.md is generated from this. */
export const SETTINGS = {
  NODE_ENV: choice('Kind of installation', ['development', 'test', 'production'], 'development'),
  HOST: text('Address the API listens on', '127.0.0.1'),
  PORT: integer('Port the API listens on; 0 picks a free one', 3000, 0, 65_535),
  PUBLIC_URL: publicAddress(),
  DATA_DIR: {
    description:
      'Folder of the embedded database, files (without `FILES_URL`) and uploads in progress, the generated keys and passwords, and the demo credentials',
    defaultText: '`.data`',
    parse: (value) => resolve(value ?? '.data'),
  } as Definition<string>,
  FILES_URL: fileStore(),
  FILE_MAX_BYTES: integer('Maximum size of a file in bytes', 104_857_600, 1_024, 5_368_709_120),
  CLAMD_URL: scanner(),
  LOG_LEVEL: choice('Minimum log level', ['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'info'),
  DATABASE_URL: url(
    'External PostgreSQL (15 or newer) instead of the embedded one, with a role that may create schemas and roles; for `migrate`, the operator CLI and `npm start`. API and worker do not need it',
    POSTGRES,
  ),
  DATABASE_APP_URL: url(
    'Connection of the API processes, with the role `<prefix>_app`; `migrate` sets the password of the role to that of the URL. Without it, `DATABASE_URL` with this role and the password in `DATA_DIR/<prefix>_app.password`, which `migrate` generates',
    POSTGRES,
  ),
  DATABASE_SYSTEM_URL: url(
    'The same for the worker processes and the CLI, with the role `<prefix>_system`. API processes do not need it',
    POSTGRES,
  ),
  DATABASE_ROLE_PREFIX: {
    description: 'Prefix of the database roles that the platform creates',
    defaultText: 'name of the database',
    parse: (value) => {
      if (value !== undefined && !/^[a-z][a-z0-9_]{0,40}$/.test(value))
        throw new SettingsError('must be lower-case letters, digits and underscores, at most 41 of them');
      return value ?? null;
    },
  } as Definition<string | null>,
  DATABASE_POOL_SIZE: integer('Database connections of one process', 10, 2, 200),
  DATABASE_STATEMENTS: choice(
    'How API processes send statements: `named` prepares them once per connection; `unnamed` is for poolers in transaction mode without support for prepared statements (PgBouncer before 1.21, or with `max_prepared_statements = 0`)',
    ['named', 'unnamed'],
    'named',
  ),
  MAX_REQUESTS: integer(
    'Requests that one API process handles at a time; each 64 KiB of body counts as one more. A tenant may use as many as are still free, so at most half. Further requests get 503 `overloaded`',
    500,
    50,
    10_000,
  ),
  MAX_CONNECTIONS: integer(
    'Open connections of one API process; further ones are closed immediately. The process needs slightly more open files (`ulimit -n`)',
    15_000,
    100,
    1_000_000,
  ),
  CLIENT_TIMEOUT_SECONDS: integer('Maximum time for a client to send a request, and to read the response', 30, 1, 600),
  REDIS_URL: url(
    'Redis or Valkey for the queues and for rate limits shared by several API processes. Without it, the queues run on PostgreSQL and each process applies the rate limits separately',
    ['redis:', 'rediss:'],
  ),
  MASTER_KEY: masterKey(),
  MASTER_KEY_PREVIOUS: previousMasterKey(),
  METRICS_PORT: integer(
    'Port on which each process serves `GET /metrics` without a token; 0 disables it',
    0,
    0,
    65_535,
  ),
  METRICS_TOKEN: optional('Bearer token for `GET /metrics` on the API port'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(
    'Collector that receives traces and metrics by OTLP over HTTP (JSON), such as `http://collector:4318`; `/v1/traces` and `/v1/metrics` are added. Without it, none are recorded',
    ['http:', 'https:'],
  ),
  OTEL_EXPORTER_OTLP_HEADERS: optional(
    'Headers of the requests to the collector, as `name=value` separated by commas, with URL-encoded values',
  ),
  OTEL_TRACES_SAMPLER_ARG: {
    description:
      'Share of traces that are recorded, 0 to 1. A request with a valid `traceparent` is recorded if its flag says so',
    defaultText: '`1`',
    parse: (value = '1') => {
      const share = Number(value);
      if (!/^\d*\.?\d+$/.test(value) || share > 1)
        throw new SettingsError(`must be a number from 0 to 1, not "${value}"`);
      return share;
    },
  } as Definition<number>,
  TRUSTED_PROXIES: cidrs('Networks of the proxies whose `X-Forwarded-For` is trusted, comma-separated'),
  WEBHOOK_ALLOWED_CIDRS: cidrs(
    'Private networks that webhook targets, audit streams and AI providers may use, comma-separated; within them `http:`, IP literals, `localhost` and any port are accepted',
  ),
  WEBHOOK_DENIED_CIDRS: cidrs(
    'Networks, including public ones, that webhook targets, audit streams and AI providers may not use, comma-separated; takes precedence over `WEBHOOK_ALLOWED_CIDRS`',
  ),
  EVENT_RETENTION_DAYS: integer('Days for which events and deliveries are kept and can be recovered', 30, 7, 3_650),
  WEBHOOK_REQUIRE_VERIFICATION: flag(
    'Whether new webhook endpoints, and those whose URL changes its origin, receive no deliveries until they have answered a challenge (`POST /api/webhooks/endpoints/{id}/verify`)',
  ),
  SMTP_URL: mailServer(),
  MAIL_FROM: mailSender(),
  INVITATION_URL: invitationPage(),
  OIDC_ISSUER: issuer(),
  OIDC_CLIENT_ID: optional(
    'Client id of the platform at the OpenID provider, for sign-in by browser (`GET /api/auth/login`). Register `PUBLIC_URL` with `/api/auth/callback` as its redirect URI. Without it, people can only sign in through apps that send an ID token',
  ),
  OIDC_CLIENT_SECRET: optional('Secret of that client; empty for a public client. PKCE is always used'),
  OIDC_AUDIENCE: {
    ...list(
      'Client ids of apps at the OpenID provider whose ID tokens are accepted for a session (`POST /api/auth/session`), comma-separated',
    ),
    defaultText: '`OIDC_CLIENT_ID`',
    parse: (value, env) => partsOf(value ?? env['OIDC_CLIENT_ID']),
  } as Definition<string[]>,
  OIDC_TRUST_EMAIL: flag(
    'Whether addresses of the OpenID provider count as verified if its tokens say nothing about it (neither `email_verified` nor `xms_edov`). Only for a provider whose users cannot choose their own address. `email_verified: false` is refused in any case',
  ),
  OIDC_MFA_ACR: multiFactorAcr(),
  SELF_SERVICE_PLANS: selfServicePlans(),
  SELF_SERVICE_TENANTS: integer(
    'Maximum number of open tenants that one person may have created, if `SELF_SERVICE_PLANS` allows it',
    3,
    1,
    100,
  ),
  CORS_ORIGINS: origins(
    'Origins of other web pages that may call the API with the session of the browser, comma-separated',
  ),
  WORKER_CONCURRENCY: integer('Concurrent deliveries of one worker process', 50, 1, 1_000),
  AI_CONCURRENCY: integer('Concurrent AI jobs of one worker process', 20, 1, 200),
  AI_LOCAL_PRICE_MICROS_PER_1K: integer(
    'Price of 1,000 tokens of the built-in AI model, in millionths of the tenant’s currency',
    0,
    0,
    1_000_000_000,
  ),
  AI_CALL_TIMEOUT_SECONDS: integer('Maximum wait for a model response, in seconds', 60, 1, 600),
} satisfies Record<string, Definition<unknown>>;

export type SettingName = keyof typeof SETTINGS;
export type Settings = { readonly [N in SettingName]: ReturnType<(typeof SETTINGS)[N]['parse']> };

/** DI token of the settings. */
export const SETTINGS_TOKEN = Symbol('settings');

/**
 * Reads every setting from the environment, once.
 * @throws SettingsError naming each invalid setting.
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
