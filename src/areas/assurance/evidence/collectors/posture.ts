import { POSTURE_CHECKS } from '../../security/posture/checks/all.js';
import type { Severity } from '../../security/posture/posture-check.js';
import type { PostureStatus } from '../../security/posture/posture-score.js';
import { type Collector, collector } from '../collector.js';

const TITLES: ReadonlyMap<string, string> = new Map(POSTURE_CHECKS.map(({ key, title }) => [key, title]));
const SEVERITIES: ReadonlyMap<string, Severity> = new Map(POSTURE_CHECKS.map(({ key, severity }) => [key, severity]));

interface RawCheck {
  runId: string;
  assessedAt: string;
  score: number;
  grade: string;
  checkKey: string;
  status: PostureStatus;
  measured: string;
  since: string;
  ownerId: string | null;
  severityOverride: Severity | null;
  exceptionReason: string | null;
  exceptionExpiresAt: string | null;
  exceptionGrantedById: string | null;
}

function checkOf({ severityOverride, ...check }: RawCheck) {
  const { checkKey } = check;
  return {
    ...check,
    title: TITLES.get(checkKey) ?? checkKey,
    severity: severityOverride ?? SEVERITIES.get(checkKey) ?? null,
  };
}

/** Security checks. */
export const POSTURE: readonly Collector[] = [
  collector<RawCheck, ReturnType<typeof checkOf>>({
    folder: 'posture',
    controlId: 'posture-checks',
    control: 'Security settings are checked, and a deviation is corrected or accepted for a limited time.',
    title: 'Security checks',
    type: 'verification',
    source: 'The last stored run of the security checks in the period, and the exceptions granted for them.',
    frameworks: { soc2: ['CC4.1', 'CC7.1'], iso27001: ['A.5.36', 'A.8.9'], gdpr: ['Art. 32(1)(d)'] },
    columns: [
      'runId',
      'assessedAt',
      'score',
      'grade',
      'checkKey',
      'title',
      'severity',
      'status',
      'measured',
      'since',
      'ownerId',
      'exceptionReason',
      'exceptionExpiresAt',
      'exceptionGrantedById',
    ],
    query: `
      select r.id as "runId", r.created_at as "assessedAt", r.score, r.grade, k.key as "checkKey",
        k.value ->> 'status' as status, k.value -> 'verdict' ->> 'measured' as measured, k.value ->> 'since' as since,
        c.owner_id as "ownerId", c.severity_override as "severityOverride",
        c.exception ->> 'reason' as "exceptionReason", c.exception ->> 'expiresAt' as "exceptionExpiresAt",
        c.exception -> 'grantedBy' ->> 'id' as "exceptionGrantedById"
      from (select * from data.posture_runs where tenant_id = $1 and created_at >= $2 and created_at < $3
          order by created_at desc, id desc limit 1) r
        cross join jsonb_each(r.results) k
        left join data.posture_checks c on c.tenant_id = $1 and c.key = k.key`,
    order: '"checkKey"',
    show: checkOf,
    finding: ({ status }) => {
      if (status === 'unknown') return 'The check could not be run.';
      return status === 'fail' ? 'The check fails.' : null;
    },
  }),
];
