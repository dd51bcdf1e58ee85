import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { load, YAML11_SCHEMA } from 'js-yaml';
import { readSettings, SETTINGS, type SettingName } from '#libs/config/settings.js';
import { removeFolders, temporaryFolder } from './temporary-folder.js';

type Variables = Record<string, string>;

interface Service {
  environment: Record<string, string | number | null>;
  healthcheck?: object;
  restart: string;
  image?: string;
  ports?: string[];
  command?: string[];
  logging?: { options: Record<string, string> };
}

/** Settings that the containers do not need, or whose values follow from compose.yaml. */
const OF_THE_CONTAINERS: SettingName[] = [
  'NODE_ENV',
  'HOST',
  'PORT',
  'DATA_DIR',
  'DATABASE_ROLE_PREFIX',
  'DATABASE_STATEMENTS',
];

/** Credentials of the store of files, which the SDK reads itself. */
const OF_THE_STORE = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];

/** The database URLs that each service receives. */
const URLS: Record<string, SettingName[]> = {
  api: ['DATABASE_APP_URL'],
  worker: ['DATABASE_SYSTEM_URL'],
  migrate: ['DATABASE_URL', 'DATABASE_APP_URL', 'DATABASE_SYSTEM_URL'],
  cli: ['DATABASE_URL', 'DATABASE_APP_URL', 'DATABASE_SYSTEM_URL'],
  backup: ['DATABASE_URL', 'DATABASE_APP_URL', 'DATABASE_SYSTEM_URL'],
};

const servicesOf = (file: string) =>
  (load(readFileSync(file, 'utf8'), { schema: YAML11_SCHEMA }) as { services: Record<string, Service> }).services;
const services = servicesOf('docker/compose.yaml');

/** Runs docker/env.sh in a folder; returns its result and the file. */
function makeEnv(folder = temporaryFolder()) {
  const script = join(folder, 'env.sh');
  copyFileSync('docker/env.sh', script);
  return { ...spawnSync('sh', [script], { encoding: 'utf8' }), folder, path: join(folder, '.env') };
}

/** Variables of the file; with `examples` also those in comments. */
function variablesOf(path: string, { examples }: { examples: boolean }): Variables {
  const lines = readFileSync(path, 'utf8').matchAll(examples ? /^#?([A-Z_]+)=(.*)$/gm : /^([A-Z_]+)=(.*)$/gm);
  return Object.fromEntries(Array.from(lines, ([, name, value]) => [name!, value!]));
}

/** The environment of a service's container, as interpolated by Compose. */
function environmentOf({ environment }: Service, given: Variables): Variables {
  const filled = Object.entries(environment).map(([name, value]) => [
    name,
    value === null
      ? given[name]
      : String(value).replaceAll(/\$\{(\w+):\?[^}]*\}/g, (_, variable: string) => {
          if (!given[variable]) throw new Error(`${variable} is not set`);
          return given[variable];
        }),
  ]);
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined)) as Variables;
}

const IMAGE = { NODE_ENV: 'production', HOST: '0.0.0.0', PORT: '3000' };

afterAll(removeFolders);

describe('docker/env.sh', () => {
  it('writes a private file with generated secrets that all services can start with', () => {
    const { status, stdout, path } = makeEnv();
    expect([status, stdout]).toEqual([0, `Wrote ${path}. Keep a copy of it in a safe place.\n`]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const given = variablesOf(path, { examples: false });
    expect(given).not.toEqual(variablesOf(makeEnv().path, { examples: false }));
    for (const name of Object.keys(URLS))
      expect(readSettings({ ...IMAGE, ...environmentOf(services[name]!, given) }).MASTER_KEY).toHaveLength(32);
    const { password } = new URL(environmentOf(services['migrate']!, given)['DATABASE_URL']!);
    expect(password).toMatch(/^[0-9a-f]{48}$/);
    expect(environmentOf(services['postgres']!, given)['POSTGRES_PASSWORD']).toBe(password);
  });

  it('does not change an existing file', () => {
    const { folder, path } = makeEnv();
    const before = readFileSync(path, 'utf8');
    const again = makeEnv(folder);
    expect([again.status, again.stdout]).toEqual([1, '']);
    expect(again.stderr).toMatch(/^\S+\.env is there already and stays as it is[^\n]+\n$/);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it('shows examples that are valid settings and reach API and worker', () => {
    const given = variablesOf(makeEnv().path, { examples: true });
    for (const name of ['api', 'worker']) {
      const environment = environmentOf(services[name]!, given);
      const { POSTGRES_PASSWORD, DATABASE_APP_PASSWORD, DATABASE_SYSTEM_PASSWORD, ...others } = given;
      const { API_PORT: _port, GRAFANA_PASSWORD, ...settings } = others;
      expect(environment).toMatchObject(settings);
      const database = [POSTGRES_PASSWORD, name === 'api' ? DATABASE_SYSTEM_PASSWORD : DATABASE_APP_PASSWORD];
      for (const password of [...database, GRAFANA_PASSWORD])
        expect(JSON.stringify(environment)).not.toContain(password);
      expect(readSettings({ ...IMAGE, ...environment })).toMatchObject({
        PUBLIC_URL: 'https://api.example.com',
        OIDC_AUDIENCE: ['client-id'],
      });
    }
  });

  it('writes a file that is neither committed nor copied into the image', () => {
    expect(readFileSync('.gitignore', 'utf8').split('\n')).toContain('.env');
    expect(readFileSync('.dockerignore', 'utf8').split('\n')).toContain('**/.env');
  });
});

describe('docker/compose.yaml', () => {
  it('passes every setting on, except those determined by the containers', () => {
    const all = Object.keys(SETTINGS).filter((name) => !OF_THE_CONTAINERS.includes(name as SettingName));
    const urls: SettingName[] = ['DATABASE_URL', 'DATABASE_APP_URL', 'DATABASE_SYSTEM_URL'];
    for (const name of Object.keys(URLS)) {
      const withheld = urls.filter((url) => !URLS[name]!.includes(url));
      const expected = [...OF_THE_STORE, ...all.filter((setting) => !(withheld as string[]).includes(setting))];
      expect(Object.keys(services[name]!.environment).sort()).toEqual(expected.sort());
    }
  });

  it('restarts services and checks the health of API and worker', () => {
    expect(services['backup']!.restart).toBe('unless-stopped');
    for (const name of ['postgres', 'valkey', 'api', 'worker']) {
      expect(services[name]!.restart).toBe('unless-stopped');
      expect(services[name]!.healthcheck).toBeDefined();
    }
    for (const name of ['migrate', 'cli']) expect(services[name]!.restart).toBe('no');
  });

  it('bounds every log, publishes only the TLS proxy beyond this machine, and has no default passwords', () => {
    const all = { ...services, canary: servicesOf('docker/canary.yaml')['canary']! };
    for (const [name, { logging, ports = [] }] of Object.entries(all)) {
      expect(logging?.options).toEqual({ 'max-size': '10m', 'max-file': '5' });
      for (const port of ports) expect(port).toMatch(name === 'proxy' ? /^(80|443):\1$/ : /^127\.0\.0\.1:/);
    }
    expect(services['proxy']!.command!.slice(-4)).toEqual(['--from', '${PUBLIC_URL}', '--to', 'api:3000']);
    expect(readFileSync('docker/compose.yaml', 'utf8')).not.toMatch(/(PASSWORD|KEY|SECRET):-/);
  });

  it('keeps the allowed webhook networks when the canary is added', () => {
    for (const name of ['api', 'worker'])
      expect(servicesOf('docker/canary.yaml')[name]!.environment['WEBHOOK_ALLOWED_CIDRS']).toBe(
        '172.31.240.250/32${WEBHOOK_ALLOWED_CIDRS:+,${WEBHOOK_ALLOWED_CIDRS}}',
      );
  });
});
