// Where a benchmark runs: a folder, a PostgreSQL server with databases of its own, and the processes it starts. Nothing of
// it is left when the work ends, however it ends.
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
 * As a server that is used in earnest has them: with PostgreSQL's 128 MB and 1 GB each process writes pages to make room,
 * and under this load there is a checkpoint every half minute, after which each page is logged whole. For its buffers, a quarter
 * of the memory is what its documentation recommends.
 */
const SETTINGS = {
  shared_buffers: `${BUFFERS_MB}MB`,
  min_wal_size: '4GB',
  max_wal_size: '8GB',
  checkpoint_timeout: '15min',
};

/**
 * What those buffers and all else that its processes share take. Without huge pages each process maps each page of 4 KB that it
 * touches, which took 12 µs a page in a virtual machine.
 */
const SHARED_MB = Math.ceil(BUFFERS_MB * 1.08);

/**
 * Does the work with `{ folder, newDatabase }`; each call of `newDatabase` answers the superuser's URL of one more
 * database. The server is the embedded one, or that of `BENCH_SERVER_URL`, where `BENCH_TEMPLATE` may name a migrated
 * database to copy.
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
 * Has the server touch all of its shared memory and leave files of its log to be used again, as one that has run for a
 * day: a virtual machine gets its memory from its host when it first touches it, which took 65 µs a page of 8 KB on one,
 * and a new file of the log is written twice.
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

/** One statement as the superuser. */
export async function query(url, text, values) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}
