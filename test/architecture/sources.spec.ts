import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { NODE_FLAGS } from '#src/platform/node-flags.js';

/** Rules about the sources that types and import rules cannot express. */
const sources = ['libs', 'src'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .map((file) => ({ file: join(folder, file), text: readFileSync(join(folder, file), 'utf8') })),
);

const filesWith = (pattern: RegExp): string[] =>
  sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file);

describe('the sources', () => {
  it('are found', () => {
    expect(sources.length).toBeGreaterThan(50);
  });

  it('have a single AsyncLocalStorage, so that the tenant cannot be missing in another one', () => {
    expect(filesWith(/new AsyncLocalStorage\b/)).toEqual(['libs/tenancy/scope.ts']);
  });

  it('set the tenant of a connection in one place', () => {
    // A migration that changes rows of all tenants tells the triggers whose row it is.
    const respelling = 'src/database/migrations/1763700000265-comparable-names.ts';
    expect(filesWith(/set_config\(\s*'app\.tenant_id'/)).toEqual(['libs/database/database.ts', respelling]);
    expect(filesWith(/set\s+(local\s+|session\s+)?app\.tenant_id/i)).toEqual([]);
  });

  it('make the links that people get in one place', () => {
    const settings = ['libs/config/people-settings.ts', 'libs/config/settings.ts'];
    const message = 'src/areas/discovery/mcp/mcp.service.ts';
    expect(filesWith(/PUBLIC_URL/)).toEqual([...settings, 'libs/http/public-url.ts', message]);
  });

  it('use no Nest middleware, which requests to Fastify can bypass', () => {
    expect(filesWith(/NestMiddleware|MiddlewareConsumer/)).toEqual([]);
  });

  it('use no TypeORM repositories at run time, which do not know the tenant', () => {
    expect(filesWith(/getRepository\(|@InjectRepository|\.createQueryBuilder\(|EntityManager/)).toEqual([]);
  });

  it('never switch to a more powerful role', () => {
    // A backup asks whether its role sees all rows, and makes PostgreSQL fail in place of hiding some.
    const backup = 'src/database/backup/make-backup.ts';
    expect(filesWith(/bypassrls/i)).toEqual(['libs/database/powerless.ts', backup]);
    expect(filesWith(/row_security\s*(=|to)\s*off/i)).toEqual([backup]);
  });
});

describe('the migrations', () => {
  /** Earlier ones define functions, which only they use. */
  const FIRST = 1763700000281;

  it('define no SQL function, which would stand a second time beside its file', () => {
    const files = filesWith(/create (or replace )?function/i).map((file) => [
      file,
      /migrations\/(\d{13})-/.exec(file)?.[1],
    ]);
    expect(files.length).toBeGreaterThan(40);
    expect(files.filter(([, stamp]) => stamp && Number(stamp) >= FIRST)).toEqual([]);
    expect(files.flatMap(([file, stamp]) => (stamp ? [] : [file]))).toEqual([
      'libs/database/search.ts', // writes the same function for each searched table
      'src/database/function-file.ts',
    ]);
  });
});

describe('the image', () => {
  const image = readFileSync('docker/Dockerfile', 'utf8');

  it('contains the canary and its imports', () => {
    const imports = readFileSync('scripts/canary.mjs', 'utf8').matchAll(/from '\.\.?(\/.+)'/g);
    const files = ['scripts/canary.mjs', ...Array.from(imports, ([, path]) => path!.slice(1))];
    expect(files).toHaveLength(2);
    for (const file of files) expect(image).toMatch(new RegExp(`^COPY ${file} \\./${dirname(file)}/$`, 'm'));
  });

  it('starts Node with the same options as elsewhere', () => {
    const options = /^ENV .*\bNODE_OPTIONS=(\S+|"[^"]*")/m.exec(image)?.[1];
    expect(options?.replaceAll('"', '')).toBe(NODE_FLAGS.join(' '));
  });
});
