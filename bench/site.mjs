// The environment of a benchmark: a folder, a PostgreSQL server with separate databases, and its processes. Everything
// is removed when the work ends for any reason.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../dist/libs/embedded/server.js';
import { reserveHugePages } from './huge-pages.mjs';
import { stopAll } from './measure.mjs';

const MB = 2 ** 20;
const BUFFERS_MB = Math.floor(Math.min(4_096, totalmem() / MB / 4));

/**
 * As in production: with the defaults of 128 MB and 1 GB, backends write pages to free buffers, and under this load a
 * checkpoint runs every half minute, after which full pages are logged. A quarter of the memory for buffers is the
 * documented recommendation.
 */
const SETTINGS = {
  shared_buffers: `${BUFFERS_MB}MB`,
  min_wal_size: '4GB',
  max_wal_size: '8GB',
  checkpoint_timeout: '15min',
};

/**
 * Size of these buffers and all other shared memory. Without huge pages each process maps every 4 KB page that it
 * touches, at a cost of 12 µs per page in a virtual machine.
 */
const SHARED_MB = Math.ceil(BUFFERS_MB * 1.08);

/**
 * Runs the work with `{ folder, newDatabase }`; each call of `newDatabase` returns the superuser URL of a new database.
 * The server is the embedded one, or that of `BENCH_SERVER_URL`, where `BENCH_TEMPLATE` may name a migrated database to
 * copy.
 */
export async function withSite(work) {
  const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
  const given = process.env.BENCH_SERVER_URL;
  const giveBackPages = given ? () => undefined : reserveHugePages(SHARED_MB);
  const server = given ? null : await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), settings: SETTINGS });
  const url = given ?? server.url;
  const made = [];
  const newDatabase = async () => {
    const name = `bench_${randomBytes(4).toString('hex')}`;
    await query(url, `create database ${name} template ${process.env.BENCH_TEMPLATE ?? 'template1'}`);
    made.push(name);
    return Object.assign(new URL(url), { pathname: `/${name}` }).href;
  };
  try {
    if (server) await beenAtWork(url);
    return await work({ folder, newDatabase });
  } finally {
    stopAll();
    for (const name of made) await query(url, `drop database ${name} with (force)`);
    await server?.stop();
    giveBackPages();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Makes the server touch all of its shared memory and create WAL files for reuse, like a server that has run for a day:
 * a virtual machine gets memory from its host on first access, at a cost of 65 µs per 8 KB page on one machine, and new
 * WAL files are written twice.
 */
async function beenAtWork(url) {
  await query(url, 'create table filling (filler text)');
  await query(url, 'alter table filling alter filler set storage plain');
  await query(
    url,
    `insert into filling select repeat('x', 8000) from pg_settings, generate_series(1, setting::integer)
     where name = 'shared_buffers'`,
  );
  await query(url, 'drop table filling');
  await query(url, 'checkpoint');
}

/** Runs one statement as the superuser. */
export async function query(url, text, values) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}
