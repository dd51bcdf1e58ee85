import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { call, holds } from './site.mjs';

const SIZE_MB = 16;
const DEALS = '/api/v1/sales/deals';
/** The process says that the disk is full until writes have succeeded for ten seconds. */
const RECOVERY_LIMIT_MS = 30_000;

/** A small file system in memory; null where this process may not mount one. */
function mountDisk() {
  const path = mkdtempSync(join(tmpdir(), 'platform-disk-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', path], { stdio: 'ignore' });
  if (status === 0) return path;
  rmSync(path, { recursive: true });
  return null;
}

function unmount(path) {
  spawnSync('umount', [path], { stdio: 'ignore' });
  rmSync(path, { recursive: true, force: true });
}

export function canMount() {
  const disk = mountDisk();
  if (disk !== null) unmount(disk);
  return disk !== null;
}

/** Moves the table of deals to a small disk, fills it, and frees it again; the API is not restarted. */
export async function fillDisk(site, { creates }) {
  const [tenant] = await site.tenants(1);
  const api = await site.startApi();
  const disk = mountDisk();
  try {
    const [{ setting }] = await site.rows("select setting from pg_settings where name = 'data_directory'");
    const { uid, gid } = statSync(setting);
    chownSync(disk, uid, gid);
    await site.rows(`create tablespace small location '${disk}'`);
    await site.rows('alter table data.sales_deals set tablespace small');
    const create = (_, place) => call(api, tenant, 'POST', DEALS, { name: `Deal ${place} ${'x'.repeat(180)}` });
    const ready = async () => (await call(api, tenant, 'GET', '/health/ready')).body.storage;
    const accepted = [(await create(null, 0)).body.id];
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, 'filler'), Buffer.alloc(bavail * bsize));
    const answers = [];
    for (let place = 1; place <= creates; place++) answers.push(await create(null, place));
    accepted.push(...answers.filter(({ status }) => status === 201).map(({ body }) => body.id));
    const refused = answers.filter(({ status, headers }) => status === 503 && headers['retry-after'] === '30').length;
    const otherwise = answers.length - refused - (accepted.length - 1);
    const reads = (await call(api, tenant, 'GET', `${DEALS}?limit=1`)).status;
    const during = await ready();
    rmSync(join(disk, 'filler'));
    const freedMs = performance.now();
    const recovered = await holds(async () => {
      const { status, body } = await create(null, creates + 1);
      if (status === 201) accepted.push(body.id);
      return status === 201;
    }, RECOVERY_LIMIT_MS);
    const recoveredMs = Math.round(performance.now() - freedMs);
    const readyAgain = await holds(async () => {
      const { status, body } = await create(null, creates + 2);
      if (status === 201) accepted.push(body.id);
      return (await ready()) === 'ok';
    }, RECOVERY_LIMIT_MS);
    await wait(1_000); // the log is written in blocks
    const rows = await site.rows('select id from data.sales_deals where tenant_id = $1', [tenant.id]);
    const stored = new Set(rows.map(({ id }) => id));
    const lost = accepted.filter((id) => !stored.has(id)).length;
    const lines = api.lines.filter((line) => line.includes('no room')).length;
    const others = api.lines.length - lines;
    return {
      refused,
      otherwise,
      reads,
      during,
      recovered,
      recoveredMs,
      readyAgain,
      lost,
      lines,
      others,
      survived: api.isAlive,
    };
  } finally {
    try {
      await api.end('SIGTERM');
      await site.rows('alter table data.sales_deals set tablespace pg_default');
      await site.rows('drop tablespace if exists small');
    } finally {
      unmount(disk);
    }
  }
}

export function judgeFullDisk(figures) {
  const { refused, otherwise, reads, during, recovered, recoveredMs, readyAgain, lost, lines, others, survived } =
    figures;
  return {
    measured:
      `${refused} creates refused with 503 and Retry-After, ${otherwise} otherwise; reads ${reads}; readiness ${during}; ` +
      `${lines} line of the log about it, ${others} others; the first create succeeded ${recoveredMs} ms after there was space; ${lost} lost`,
    broken: [
      refused === 0 && 'nothing was refused',
      otherwise > 0 && 'other answers than 201 and 503',
      reads !== 200 && 'reads failed',
      during !== 'full' && 'readiness did not say so',
      lines !== 1 && 'the log did not say it once',
      others > 0 && 'the log said more',
      !recovered && 'writes did not recover',
      !readyAgain && 'readiness did not recover',
      lost > 0 && 'accepted deals are lost',
      !survived && 'the process ended',
    ].filter(Boolean),
  };
}
