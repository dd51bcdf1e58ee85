import { randomInt } from 'node:crypto';
import { generateKey } from '#libs/auth/api-key.js';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Redis } from './redis.mjs';
import { call } from './site.mjs';

const PATH = '/api/v1/sales/deals?limit=1';
/** Sequential requests to each process after the revocation; others are in flight at that time. */
const AFTER = 3;

/** Revocations, each as one committed statement. */
const REVOCATIONS = [
  ({ credentialId }) => [`update directory.credentials set revoked_at = now() where id = $1`, [credentialId]],
  ({ tenantId, memberId }) => [
    `delete from data.role_assignments where tenant_id = $1 and membership_id = $2`,
    [tenantId, memberId],
  ],
  ({ tenantId, memberId }) => [
    `update data.memberships set status = 'suspended', version = version + 1 where tenant_id = $1 and id = $2`,
    [tenantId, memberId],
  ],
];

/**
 * Revokes permissions while several API processes serve requests that use them; in the second half of the trials Redis
 * is stopped. A request is `late` when it was sent after the revocation was committed: none may be allowed.
 */
export async function revokeRights(site, { processes, trials }) {
  const [tenant] = await site.tenants(1);
  const redis = await Redis.open();
  const figures = { trials, withoutRedis: 0, early: 0, late: 0, allowed: 0 };
  try {
    const env = { REDIS_URL: redis.url, TRUSTED_PROXIES: '127.0.0.1/32' };
    const apis = await Promise.all(Array.from({ length: processes }, () => site.startApi(env)));
    for (let trial = 0; trial < trials; trial++) {
      if (trial === Math.ceil(trials / 2)) await redis.stop();
      if (trial * 2 >= trials) figures.withoutRedis++;
      const member = await createMember(site, tenant);
      const revocation = REVOCATIONS[trial % REVOCATIONS.length](member);
      await tryOne(site, apis, member, revocation, figures);
    }
    return figures;
  } finally {
    await redis.close();
  }
}

export function judgeRevocations({ trials, withoutRedis, late, allowed }) {
  return {
    measured: `${trials} revocations, ${withoutRedis} without Redis: ${allowed} of ${late} requests allowed that were sent after the commit`,
    broken: [allowed > 0 && `${allowed} were allowed`, late === 0 && 'no request was tested'].filter(Boolean),
  };
}

async function tryOne(site, apis, member, [text, values], figures) {
  const sent = [];
  const ask = async (api) => {
    const request = { sentMs: performance.now(), allowed: false };
    sent.push(request);
    // From a separate address, so that the limit of failed authentications does not reject it.
    const from = { 'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}` };
    request.allowed = (await call(api, member, 'GET', PATH, undefined, from)).status === 200;
  };
  await Promise.all(apis.map(ask)); // now every process has cached the member
  let revokedMs = Infinity;
  const askOn = async (api) => {
    for (let after = 0; after < AFTER;) {
      if (performance.now() > revokedMs) after++;
      await ask(api);
    }
  };
  const asking = apis.map(askOn);
  await site.rows(text, values);
  revokedMs = performance.now();
  await Promise.all(asking);
  const late = sent.filter(({ sentMs }) => sentMs > revokedMs);
  figures.early += sent.filter((request) => request.sentMs <= revokedMs && request.allowed).length;
  figures.late += late.length;
  figures.allowed += late.filter(({ allowed }) => allowed).length;
}

/** A member with all permissions and a key. */
async function createMember(site, { id: tenantId }) {
  const [memberId, credentialId] = [uuidv7(), uuidv7()];
  const { text: apiKey, keyId, hash } = generateKey('api_key');
  await site.rows(
    `insert into data.memberships (tenant_id, id, email, name, status, created_at)
     values ($1, $2::uuid, $2::text || '@faults.example', 'Somebody', 'active', now())`,
    [tenantId, memberId],
  );
  await site.rows(
    `insert into data.role_assignments (tenant_id, membership_id, role_id, granted_at) values ($1, $2, $3, now())`,
    [tenantId, memberId, SYSTEM_ROLE_IDS.owner],
  );
  await site.rows(
    `insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes, allow_protected,
       allowed_cidrs, created_at, member_id) values ($1, $2, 'api_key', $3, $1, 'faults', $4, '{*}', false, '{}', now(), $5)`,
    [credentialId, tenantId, keyId, hash, memberId],
  );
  return { tenantId, memberId, credentialId, apiKey };
}
