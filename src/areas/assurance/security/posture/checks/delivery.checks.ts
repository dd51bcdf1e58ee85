import { statement } from '#libs/database/statement.js';
import { checkOf, days, fewOf, noneOf, notApplicable } from '../posture-check.js';

const ENDPOINTS = '/api/webhooks/endpoints';

const endpointsThat = (condition: string): string => `
  select count(*)::integer as total, count(*) filter (where ${condition})::integer as found
  from data.webhook_endpoints e left join data.webhook_lanes l on l.tenant_id = e.tenant_id and l.endpoint_id = e.id
  where e.tenant_id = $1 and e.status = 'enabled' and e.deleted_at is null`;
const PLAIN = endpointsThat(`e.url not like 'https:%'`);
const UNVERIFIED = endpointsThat('e.verified_at is null');
const UNSUCCESSFUL = endpointsThat(
  'l.failing_since is not null and coalesce(l.last_success_at, e.created_at) < $2::timestamptz',
);
// The expiry of the previous secret remains, and shows when the last rotation was complete.
const OLD_SECRETS = endpointsThat('coalesce(e.previous_secret_expires_at, e.created_at) < $2::timestamptz');
const LATE_STREAMS = `
  select count(*)::integer as total,
    count(*) filter (where s.status = 'failing' or l.occurred_at < $2::timestamptz)::integer as found
  from data.audit_streams s
    join data.audit_stream_cursors c on c.tenant_id = s.tenant_id and c.stream_id = s.id
    left join data.audit_tree n on n.tenant_id = s.tenant_id and n.seq = c.seq + 1
    left join data.audit_log l on l.tenant_id = s.tenant_id and l.id = n.entry_id
  where s.tenant_id = $1`;

interface Share {
  total: number;
  found: number;
}

export const DELIVERY_CHECKS = [
  checkOf<Share>()({
    key: 'delivery.https',
    category: 'delivery',
    title: 'Webhooks are sent over HTTPS',
    severity: 'high',
    why: 'Events sent over plain HTTP can be read on the way.',
    expected: () => 'Every enabled endpoint has an https: address',
    remediation: { text: 'Change the address of these endpoints.', path: ENDPOINTS },
    read: ({ tenantId }) => statement(PLAIN, [tenantId]),
    judge: ({ total, found }) =>
      total === 0 ? notApplicable('0 endpoints') : noneOf(found, 'endpoints without HTTPS'),
  }),
  checkOf<Share>()({
    key: 'delivery.verified',
    category: 'delivery',
    title: 'Webhook endpoints are verified',
    severity: 'low',
    why: 'An address that has not answered a challenge may belong to somebody else.',
    expected: () => 'Every enabled endpoint has answered a challenge',
    remediation: { text: 'Verify these endpoints.', path: ENDPOINTS },
    read: ({ tenantId }) => statement(UNVERIFIED, [tenantId]),
    judge: ({ total, found }) => fewOf(found, total, 'endpoints are not verified'),
  }),
  checkOf<Share>()({
    key: 'delivery.success',
    category: 'delivery',
    title: 'Webhook endpoints accept signed deliveries',
    severity: 'medium',
    why: 'An endpoint that only fails may reject our signatures, and misses events.',
    thresholds: { maxDays: days(1, 30) },
    expected: ({ maxDays }) => `No enabled endpoint has failed for ${maxDays} days without a success`,
    remediation: { text: 'Repair or disable these endpoints.', path: ENDPOINTS },
    read: ({ tenantId, limits, daysAgo }) => statement(UNSUCCESSFUL, [tenantId, daysAgo(limits.maxDays)]),
    judge: ({ total, found }) => fewOf(found, total, 'endpoints only fail'),
  }),
  checkOf<Share>()({
    key: 'delivery.secret_age',
    category: 'delivery',
    title: 'Signing secrets of webhooks are rotated',
    severity: 'low',
    why: 'Whoever knows the secret of an endpoint can forge events.',
    thresholds: { maxDays: days(365) },
    expected: ({ maxDays }) => `No signing secret older than ${maxDays} days`,
    remediation: { text: 'Rotate the secrets of these endpoints.', path: ENDPOINTS },
    read: ({ tenantId, limits, daysAgo }) => statement(OLD_SECRETS, [tenantId, daysAgo(limits.maxDays)]),
    judge: ({ total, found }) => fewOf(found, total, 'endpoints with an old secret'),
  }),
  checkOf<Share>()({
    key: 'delivery.audit_streams',
    category: 'delivery',
    title: 'Streams of the audit log are healthy',
    severity: 'high',
    why: 'Your monitoring does not see what has happened since.',
    thresholds: { maxMinutes: { default: 15, min: 5, max: 10_080 } },
    expected: ({ maxMinutes }) => `No stream is failing, and none is more than ${maxMinutes} minutes behind`,
    remediation: {
      text: 'Repair the destination, or resume or delete the stream.',
      path: '/api/admin/audit-logs/streams',
    },
    read: ({ tenantId, limits, daysAgo }) => statement(LATE_STREAMS, [tenantId, daysAgo(limits.maxMinutes / 1_440)]),
    judge: ({ total, found }) =>
      total === 0 ? notApplicable('0 streams') : noneOf(found, 'streams are failing or behind'),
  }),
];
