import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';

/** Sizes too small for timing. The programs run to check their results against the database. */
const TINY = {
  BENCH_DEALS: '500',
  BENCH_ROWS: '1200',
  BENCH_TENANTS: '20',
  BENCH_ROUNDS: '1',
  BENCH_SECONDS: '0.2',
  BENCH_REQUESTS: '200',
};
/** In one process, which loads shared code once. */
const PROGRAM = `for (const name of process.argv.slice(1)) await import(\`./bench/\${name}.mjs\`)`;

let template: TestDatabase;
beforeAll(async () => {
  template = await createTestDatabase();
});
afterAll(() => template.drop());

it('the benchmarks get correct results', async () => {
  const { code, output, errors } = await run(['main', 'memory', 'start', 'rows']);
  expect({ code, errors: code === 0 ? '' : errors }).toEqual({ code: 0, errors: '' });
  for (const table of [/create with key/, /after 200 requests/, /start to ready/, /\/s at 1,200/])
    expect(output).toMatch(table);
}, 900_000); // five servers are started in sequence

it('CPU time can be attributed to stages', async () => {
  const { code, output, errors } = await run(['stages']);
  expect({ code, errors: code === 0 ? '' : errors }).toEqual({ code: 0, errors: '' });
  expect(output).toMatch(/admission .*%/);
}, 300_000);

/** Runs programs on copies of the migrated database, on the PostgreSQL of the test run. */
async function run(names: string[]) {
  const { settings, masterKeys, adminUrl, appUrl, systemUrl } = template;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM, '--', ...names], {
    env: {
      ...process.env,
      ...TINY,
      BENCH_SERVER_URL: process.env['TEST_ADMIN_URL'],
      BENCH_TEMPLATE: new URL(adminUrl).pathname.slice(1),
      MASTER_KEY: masterKeys.keys[0]!.toString('base64'),
      DATABASE_APP_URL: appUrl,
      DATABASE_SYSTEM_URL: systemUrl,
      DATABASE_ROLE_PREFIX: settings.DATABASE_ROLE_PREFIX ?? undefined,
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: code as number, output, errors };
}
