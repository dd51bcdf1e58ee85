import { setTimeout as wait } from 'node:timers/promises';
import { uuidv7 } from '#libs/kernel/id.js';
import { Receiver } from './receiver.mjs';
import { call, holds, subscribe } from './site.mjs';

const LIMIT_MS = 20_000;
const COPY = `
  with added as (
    insert into data.events (tenant_id, id, type, schema_version, occurred_at, subject_type, subject_id, envelope, depth)
    select tenant_id, $3::uuid, type, schema_version, now(), subject_type, subject_id, replace(envelope, id::text, $3::text), depth
    from data.events where tenant_id = $1 and id = $2)
  insert into data.events_pending (tenant_id, event_id) values ($1, $3::uuid)`;
const SEQUENCES = `select event_id as id, sequence::int from data.event_numbers where tenant_id = $1 order by sequence`;

/** Writers to the outbox of one tenant that commit out of order while workers relay. */
export async function commitInAnotherOrder(site, { writers, rounds, workers }) {
  const [tenant] = await site.tenants(1);
  const receiver = await Receiver.start();
  try {
    const api = await site.api();
    await subscribe(api, [tenant], receiver.url);
    for (let worker = 0; worker < workers; worker++) await site.startWorker();
    await call(api, tenant, 'POST', '/api/v1/sales/deals', { name: 'The event that is copied' });
    await holds(() => receiver.arrivals.size === 1, LIMIT_MS);
    const stage = { site, tenant, receiver, template: [...receiver.arrivals.keys()][0] };
    const reversed = await reverse(stage);
    const committed = new Set([stage.template, ...reversed.ids]);
    const undone = new Set();
    for (let round = 0; round < rounds; round++)
      await Promise.all(Array.from({ length: writers }, () => interleave(stage, committed, undone)));
    await holds(() => [...committed].every((id) => receiver.arrivals.has(id)), LIMIT_MS);
    const rows = await site.rows(SEQUENCES, [tenant.id]);
    return {
      events: committed.size,
      undone: undone.size,
      inOrderOfCommit:
        reversed.inOrderOfCommit &&
        rows.findIndex(({ id }) => id === reversed.ids[0]) > rows.findIndex(({ id }) => id === reversed.ids[1]),
      skipped: [...committed].filter((id) => !receiver.arrivals.has(id)).length,
      invented: [...undone].filter((id) => receiver.arrivals.has(id)).length,
      gaps: rows.filter(({ sequence }, index) => sequence !== index + 1).length,
    };
  } finally {
    await receiver.close();
  }
}

/** Two writers: the first to begin and write commits after the event of the second has arrived. */
async function reverse({ site, tenant, receiver, template }) {
  const [first, second] = [uuidv7(), uuidv7()];
  const early = await site.admin.connect();
  try {
    await early.query('begin');
    await early.query(COPY, [tenant.id, template, first]);
    await site.rows(COPY, [tenant.id, template, second]);
    const later = await holds(() => receiver.arrivals.has(second), LIMIT_MS);
    const inOrderOfCommit = later && !receiver.arrivals.has(first);
    await early.query('commit');
    return { ids: [first, second], inOrderOfCommit };
  } finally {
    early.release();
  }
}

/** One of many writers: writes, waits up to 200 ms and commits; one in five rolls back. */
async function interleave({ site, tenant, template }, committed, undone) {
  const id = uuidv7();
  const client = await site.admin.connect();
  try {
    await client.query('begin');
    await wait(Math.random() * 100);
    await client.query(COPY, [tenant.id, template, id]);
    await wait(Math.random() * 200);
    const rollsBack = Math.random() < 0.2;
    await client.query(rollsBack ? 'rollback' : 'commit');
    (rollsBack ? undone : committed).add(id);
  } finally {
    client.release();
  }
}

export function judgeCommitOrder(figures) {
  const { events, undone, inOrderOfCommit, skipped, invented, gaps } = figures;
  return {
    measured: `${events} committed and ${undone} rolled back: ${skipped} skipped, ${invented} invented, ${gaps} gaps`,
    broken: [
      skipped > 0 && `${skipped} events skipped`,
      invented > 0 && `${invented} events that were rolled back`,
      gaps > 0 && `${gaps} gaps in the sequence`,
      !inOrderOfCommit && 'not numbered in commit order',
    ].filter(Boolean),
  };
}
