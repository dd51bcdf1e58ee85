import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { NODE_FLAGS } from '#src/platform/node-flags.js';

/** Rules about the sources that no type and no import rule can say. */
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

  it('have one AsyncLocalStorage: with two, a tenant that is set in one is missing in the other', () => {
    expect(filesWith(/new AsyncLocalStorage\b/)).toEqual(['libs/tenancy/scope.ts']);
  });

  it('set the tenant of a connection in one place', () => {
    expect(filesWith(/set_config\(\s*'app\.tenant_id'/)).toEqual(['libs/database/database.ts']);
    expect(filesWith(/set\s+(local\s+|session\s+)?app\.tenant_id/i)).toEqual([]);
  });

  it('have no middleware of Nest, which Fastify can be made to skip', () => {
    expect(filesWith(/NestMiddleware|MiddlewareConsumer/)).toEqual([]);
  });

  it('have no repositories of TypeORM at run time, which know no tenant', () => {
    expect(filesWith(/getRepository\(|@InjectRepository|\.createQueryBuilder\(|EntityManager/)).toEqual([]);
  });

  it('ask for no role that sees more', () => {
    expect(filesWith(/bypassrls/i)).toEqual(['libs/database/powerless.ts']);
    expect(filesWith(/row_security\s*(=|to)\s*off/i)).toEqual([]);
  });
});

describe('the image', () => {
  const image = readFileSync('docker/Dockerfile', 'utf8');

  it('has the canary and what that imports', () => {
    const imports = readFileSync('scripts/canary.mjs', 'utf8').matchAll(/from '\.\.?(\/.+)'/g);
    const files = ['scripts/canary.mjs', ...Array.from(imports, ([, path]) => path!.slice(1))];
    expect(files).toHaveLength(2);
    for (const file of files) expect(image).toMatch(new RegExp(`^COPY ${file} \\./${dirname(file)}/$`, 'm'));
  });

  it('starts Node with the options of the processes that are started elsewhere', () => {
    const options = /^ENV .*\bNODE_OPTIONS=(\S+|"[^"]*")/m.exec(image)?.[1];
    expect(options?.replaceAll('"', '')).toBe(NODE_FLAGS.join(' '));
  });
});
