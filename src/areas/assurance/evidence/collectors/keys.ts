import { isPrivileged } from '#libs/auth/permission-risk.js';
import { coveredBy } from '#libs/auth/permissions.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { type Collector, collector, type Period } from '../collector.js';
import { EVENT_COLUMNS, EVENT_ORDER, eventOf, eventsOf, type RawEvent, recorded, type ShownEvent } from './events.js';

const folder = 'keys';
/** An unused key is a risk. */
const DORMANT_DAYS = 90;
/** Secrets and keys are replaced within this time. */
const MAX_AGE_DAYS = 365;

const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / DAY_MS;
const tooOld = (since: string, { to }: Period): string | null =>
  daysBetween(since, to) > MAX_AGE_DAYS ? `It has not been replaced for ${MAX_AGE_DAYS} days.` : null;

interface RawKey {
  keyId: string;
  name: string;
  memberId: string | null;
  scopes: string[];
  allowProtected: boolean;
  networks: string[];
  issuedAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  periodEnd: string;
}

function keyOf({ memberId, lastUsedAt, periodEnd, scopes, ...key }: RawKey) {
  return {
    ...key,
    kind: memberId === null ? 'service' : 'personal',
    memberId,
    scopes,
    privileged: isPrivileged(coveredBy(scopes).map((permission) => ({ permission, reach: 'tenant' }))),
    // Only whether, because the time changes with each request.
    dormant: daysBetween(lastUsedAt ?? key.issuedAt, periodEnd) > DORMANT_DAYS,
  };
}

interface DataKey {
  version: number;
  createdAt: string;
  isCurrent: boolean;
  unusedSince: string | null;
  masterKeyId: string;
}

interface MasterKey {
  masterKeyId: string;
  firstUsedAt: string;
  isCurrent: boolean;
  dataKeys: number;
}

interface SigningKey {
  keyId: string;
  notBefore: string;
  notAfter: string | null;
}

interface StoredSecret {
  secretId: string;
  name: string;
  kind: string;
  version: number;
  createdAt: string;
  rotatedAt: string | null;
  expiresAt: string | null;
}

interface EndpointSecret {
  endpointId: string;
  host: string;
  status: string;
  secretSetAt: string;
  previousSecretExpiresAt: string | null;
}

/** Keys and secrets, and how they are replaced. */
export const KEYS: readonly Collector[] = [
  collector<RawKey, ReturnType<typeof keyOf>>({
    folder,
    controlId: 'keys-api-keys',
    control: 'API keys expire and are in use.',
    title: 'API keys',
    type: 'population',
    source: 'API keys that are neither revoked nor expired.',
    frameworks: { soc2: ['CC6.1', 'CC6.6'], iso27001: ['A.5.17', 'A.8.5'], gdpr: ['Art. 32(1)(b)'] },
    columns: [
      'keyId',
      'name',
      'kind',
      'memberId',
      'scopes',
      'privileged',
      'allowProtected',
      'networks',
      'issuedAt',
      'expiresAt',
      'dormant',
    ],
    query: `
      select k.id as "keyId", k.name, k.member_id as "memberId", k.scopes, k.allow_protected as "allowProtected",
        k.allowed_cidrs as networks, k.issued_at as "issuedAt", k.expires_at as "expiresAt",
        k.last_used_at as "lastUsedAt", $3::timestamptz as "periodEnd"
      from directory.api_keys(null) k
      where k.revoked_at is null and (k.expires_at is null or k.expires_at > $3)`,
    order: '"issuedAt", "keyId"',
    show: keyOf,
    finding: ({ expiresAt, dormant }) => {
      if (dormant) return `The key has not been used for ${DORMANT_DAYS} days.`;
      return expiresAt === null ? 'The key never expires.' : null;
    },
  }),
  collector<RawEvent, ShownEvent>({
    folder,
    controlId: 'keys-api-key-changes',
    control: 'Issuing, rotating and revoking API keys is on record.',
    title: 'Changes of API keys',
    type: 'event_log',
    source: 'Audit log: API keys that were created, changed, rotated, revoked or deleted.',
    frameworks: { soc2: ['CC6.1', 'CC6.2'], iso27001: ['A.5.17'], gdpr: ['Art. 32(1)(b)'] },
    columns: EVENT_COLUMNS,
    query: eventsOf(['created', 'deleted', 'revoked', 'rotated', 'updated'].map((verb) => `settings.api_key.${verb}`)),
    order: EVENT_ORDER,
    show: eventOf,
    finding: recorded,
  }),
  collector<DataKey>({
    folder,
    controlId: 'keys-data-keys',
    control: `The key that encrypts secrets at rest is replaced within ${MAX_AGE_DAYS} days.`,
    title: 'Data keys',
    type: 'configuration',
    source: 'Versions of the data key of the tenant, which is stored encrypted with the master key.',
    frameworks: { soc2: ['CC6.1', 'CC6.7'], iso27001: ['A.8.24'], gdpr: ['Art. 32(1)(a)'] },
    columns: ['version', 'createdAt', 'isCurrent', 'unusedSince', 'masterKeyId'],
    query: `
      select k.version, k.created_at as "createdAt", k.version = max(k.version) over () as "isCurrent",
        k.unused_since as "unusedSince", k.master_key_id as "masterKeyId"
      from data.data_keys k where k.tenant_id = $1`,
    order: 'version',
    finding: ({ isCurrent, createdAt }, period) => (isCurrent ? tooOld(createdAt, period) : null),
  }),
  collector<MasterKey>({
    folder,
    controlId: 'keys-master-keys',
    control: `The master key is replaced within ${2 * MAX_AGE_DAYS} days, and its predecessor is no longer in use.`,
    title: 'Master keys',
    type: 'configuration',
    source:
      'Master keys of the platform that are in use, by id, with the number of data keys of the tenant under each.',
    frameworks: { soc2: ['CC6.1'], iso27001: ['A.8.24'], gdpr: ['Art. 32(1)(a)'] },
    columns: ['masterKeyId', 'firstUsedAt', 'isCurrent', 'dataKeys'],
    query: `
      select m.id as "masterKeyId", m.first_used_at as "firstUsedAt",
        m.first_used_at = max(m.first_used_at) over () as "isCurrent",
        (select count(*) from data.data_keys k where k.tenant_id = $1 and k.master_key_id = m.id) as "dataKeys"
      from directory.master_keys_in_use() m`,
    order: '"firstUsedAt", "masterKeyId"',
    finding: ({ isCurrent, firstUsedAt }, { to }) => {
      if (!isCurrent) return 'The rotation to the next master key is not finished.';
      return daysBetween(firstUsedAt, to) > 2 * MAX_AGE_DAYS
        ? `It has been in use for more than ${2 * MAX_AGE_DAYS} days.`
        : null;
    },
  }),
  collector<SigningKey>({
    folder,
    controlId: 'keys-signing-keys',
    control: `The key that signs evidence is replaced within ${2 * MAX_AGE_DAYS} days.`,
    title: 'Signing keys',
    type: 'configuration',
    source: 'Ed25519 keys of the platform; the public keys are at /api/public/keys.',
    frameworks: { soc2: ['CC6.1'], iso27001: ['A.8.24'], gdpr: ['Art. 32(1)(a)'] },
    columns: ['keyId', 'notBefore', 'notAfter'],
    query: `select k.kid as "keyId", k.not_before as "notBefore", k.not_after as "notAfter" from directory.read_signing_keys() k`,
    order: '"notBefore", "keyId"',
    finding: ({ notBefore, notAfter }, { to }) =>
      notAfter === null && daysBetween(notBefore, to) > 2 * MAX_AGE_DAYS
        ? `It has signed for more than ${2 * MAX_AGE_DAYS} days.`
        : null,
  }),
  collector<StoredSecret>({
    folder,
    controlId: 'keys-secrets',
    control: `Stored secrets are replaced within ${MAX_AGE_DAYS} days and before they expire.`,
    title: 'Age of secrets',
    type: 'population',
    source: 'Secrets of the tenant, without their values.',
    frameworks: { soc2: ['CC6.1'], iso27001: ['A.5.17', 'A.8.24'], gdpr: ['Art. 32(1)(a)'] },
    columns: ['secretId', 'name', 'kind', 'version', 'createdAt', 'rotatedAt', 'expiresAt'],
    query: `
      select s.id as "secretId", s.name, s.kind, s.version, s.created_at as "createdAt", s.rotated_at as "rotatedAt",
        s.expires_at as "expiresAt"
      from data.secrets s where s.tenant_id = $1`,
    order: 'name, "secretId"',
    finding: ({ createdAt, rotatedAt, expiresAt }, period) =>
      expiresAt !== null && expiresAt <= period.to ? 'It has expired.' : tooOld(rotatedAt ?? createdAt, period),
  }),
  collector<EndpointSecret>({
    folder,
    controlId: 'keys-webhook-secrets',
    control: `Secrets that sign webhooks are replaced within ${MAX_AGE_DAYS} days.`,
    title: 'Rotation of webhook signing secrets',
    type: 'population',
    source: 'Webhook endpoints, and the last rotation of their secret in the audit log.',
    frameworks: { soc2: ['CC6.1', 'CC6.7'], iso27001: ['A.8.24', 'A.5.14'], gdpr: ['Art. 32(1)(a)'] },
    columns: ['endpointId', 'host', 'status', 'secretSetAt', 'previousSecretExpiresAt'],
    query: `
      select e.id as "endpointId", split_part(split_part(e.url, '://', 2), '/', 1) as host, e.status,
        coalesce((select max(t.occurred_at) from data.audit_log t
          where t.tenant_id = e.tenant_id and t.target_id = e.id::text
            and t.action = 'webhook.endpoint.secret_rotated' and t.outcome = 'success'), e.created_at) as "secretSetAt",
        e.previous_secret_expires_at as "previousSecretExpiresAt"
      from data.webhook_endpoints e where e.tenant_id = $1 and e.deleted_at is null`,
    order: '"secretSetAt", "endpointId"',
    finding: ({ secretSetAt, status }, period) => (status === 'enabled' ? tooOld(secretSetAt, period) : null),
  }),
];
