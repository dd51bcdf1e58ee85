// Checks that the benchmarks run before measuring: responses must be correct. A wrong one ends the program.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { query } from './site.mjs';

const DEALS = '/api/v1/sales/deals';

/**
 * Compares lists, items and creates of a tenant with its database. `tenant` is `{ tenantId, apiKey, ids }`; `foreignId`
 * is a deal of another tenant.
 */
export async function checkAnswers(url, adminUrl, { tenantId, apiKey, ids }, foreignId) {
  const ask = asker(url, apiKey);
  const [{ rows }] = await query(
    adminUrl,
    `select count(*)::int as rows from data.sales_deals where tenant_id = $1 and deleted_at is null and archived_at is null`,
    [tenantId],
  );
  const list = await ask('GET', `${DEALS}?limit=50`, 200);
  assert.equal(list.data.length, Math.min(50, rows), 'a list has a wrong number of rows');
  await assertOwn(adminUrl, tenantId, list.data);
  assert.equal((await ask('GET', `${DEALS}/${ids[0]}`, 200)).id, ids[0], 'the wrong record was returned');
  await ask('GET', `${DEALS}/${foreignId}`, 404);
  await checkCreates(ask, adminUrl, tenantId);
}

/** The bare server must return the same list as ours, so that both do the same work. */
export async function checkSameList(url, apiKey, bareUrl) {
  const ours = await asker(url, apiKey)('GET', `${DEALS}?limit=50`, 200);
  const bare = await asker(bareUrl, apiKey)('GET', '/list', 200);
  const idsOf = ({ data }) => data.map(({ id }) => id);
  assert.deepEqual(idsOf(ours), idsOf(bare), 'our list and the bare one differ');
}

/** A page by cursor must be full and belong to the tenant. */
export async function checkPage(url, adminUrl, { tenantId, apiKey }, path) {
  const { data } = await asker(url, apiKey)('GET', path, 200);
  assert.equal(data.length, 50, 'a page by cursor is not full');
  await assertOwn(adminUrl, tenantId, data);
}

async function assertOwn(adminUrl, tenantId, records) {
  const ids = records.map(({ id }) => id);
  const [{ own }] = await query(
    adminUrl,
    `select count(*)::int as own from data.sales_deals where tenant_id = $1 and id = any($2)`,
    [tenantId, ids],
  );
  assert.equal(own, new Set(ids).size, 'a list has a record of another tenant');
  assert.equal(own, ids.length, 'a list has a duplicate record');
}

/** A create writes its record, one audit entry and one event; a second one with the same key writes nothing. */
async function checkCreates(ask, adminUrl, tenantId) {
  const body = { name: `Checked ${randomUUID()}`, value: 12.5 };
  const key = { 'idempotency-key': randomUUID() };
  const created = await ask('POST', DEALS, 201, body, key);
  const again = await ask('POST', DEALS, 201, body, key);
  assert.equal(again.id, created.id, 'the same key created two records');
  const [left] = await query(
    adminUrl,
    `select (select count(*)::int from data.sales_deals where tenant_id = $1 and name = $2) as rows,
       (select count(*)::int from data.audit_log where tenant_id = $1 and target_id = $3 and outcome = 'success') as audited,
       (select count(*)::int from data.events where tenant_id = $1 and subject_id = $3) as events`,
    [tenantId, body.name, created.id],
  );
  assert.deepEqual(
    left,
    { rows: 1, audited: 1, events: 1 },
    'a create did not write exactly one row, audit entry and event',
  );
}

function asker(url, apiKey) {
  return async (method, path, status, body, headers) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { 'x-api-key': apiKey, ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    assert.equal(answer.status, status, `${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
    return JSON.parse(text);
  };
}
