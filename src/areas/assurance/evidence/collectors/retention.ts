import { DAY_MS } from '#libs/kernel/durations.js';
import type { Disposition } from '#libs/resource/retention/expiry.js';
import type { HoldScope } from '../../retention/legal-hold.js';
import { type Collector, collector } from '../collector.js';
import { recorded } from './events.js';

const folder = 'retention';

interface Policy {
  policyId: string;
  object: string;
  filter: Record<string, string>;
  retainDays: number;
  disposition: Disposition;
  enabled: boolean;
  legalBasis: string | null;
  updatedAt: string;
}

interface Run {
  runId: string;
  policyId: string | null;
  object: string | null;
  disposition: Disposition;
  startedAt: string;
  finishedAt: string | null;
  examined: number;
  affected: number;
  heldBack: number;
  inUse: number;
  failed: number;
  perType: Record<string, number>;
}

interface Hold {
  holdId: string;
  name: string;
  matter: string | null;
  scope: HoldScope;
  status: string;
  placedAt: string;
  placedById: string | null;
  releasedAt: string | null;
  releasedById: string | null;
}

/** How long records are kept, and what keeps them longer. */
export const RETENTION: readonly Collector[] = [
  collector<Policy>({
    folder,
    controlId: 'retention-policies',
    control: 'Retention periods are enforced.',
    title: 'Retention policies',
    type: 'configuration',
    source: 'Retention policies of the tenant.',
    frameworks: { soc2: ['C1.2', 'P4.2'], iso27001: ['A.5.33', 'A.8.10'], gdpr: ['Art. 5(1)(e)'] },
    columns: ['policyId', 'object', 'filter', 'retainDays', 'disposition', 'enabled', 'legalBasis', 'updatedAt'],
    query: `
      select p.id as "policyId", p.object, p.filter, p.retain_days as "retainDays", p.disposition, p.enabled,
        p.legal_basis as "legalBasis", p.updated_at as "updatedAt"
      from data.retention_policies p where p.tenant_id = $1`,
    order: 'object, "policyId"',
    finding: ({ enabled }) => (enabled ? null : 'The policy is disabled.'),
  }),
  collector<Run>({
    folder,
    controlId: 'retention-runs',
    control: 'Expired records are disposed of.',
    title: 'Runs of retention policies and of the trash',
    type: 'event_log',
    source: 'Runs that were started in the period; without a policy, the run emptied the trash.',
    frameworks: { soc2: ['C1.2', 'P4.3'], iso27001: ['A.8.10'], gdpr: ['Art. 5(1)(e)', 'Art. 17'] },
    columns: [
      'runId',
      'policyId',
      'object',
      'disposition',
      'startedAt',
      'finishedAt',
      'examined',
      'affected',
      'heldBack',
      'inUse',
      'failed',
      'perType',
    ],
    query: `
      select r.id as "runId", r.policy_id as "policyId", r.object, r.disposition, r.created_at as "startedAt",
        r.finished_at as "finishedAt", r.examined, r.affected, r.held_back as "heldBack", r.in_use as "inUse", r.failed,
        r.per_type as "perType"
      from data.retention_runs r where r.tenant_id = $1 and r.created_at >= $2 and r.created_at < $3`,
    order: '"startedAt", "runId"',
    finding: ({ startedAt, finishedAt, failed }, { to }) => {
      if (failed > 0) return 'Some records could not be processed.';
      const isLate = finishedAt === null && Date.parse(to) - Date.parse(startedAt) > DAY_MS;
      return isLate ? 'It had not finished after a day.' : null;
    },
  }),
  collector<Hold>({
    folder,
    controlId: 'retention-holds',
    control: 'Legal holds are on record, with who placed and released them.',
    title: 'Legal holds',
    type: 'population',
    source: 'Legal holds that were active in the period.',
    frameworks: { soc2: ['C1.1'], iso27001: ['A.5.28', 'A.5.33'], gdpr: ['Art. 17(3)(e)', 'Art. 18'] },
    columns: ['holdId', 'name', 'matter', 'scope', 'status', 'placedAt', 'placedById', 'releasedAt', 'releasedById'],
    query: `
      select h.id as "holdId", h.name, h.matter, h.scope, h.status, h.created_at as "placedAt",
        h.placed_by ->> 'id' as "placedById", h.released_at as "releasedAt", h.released_by ->> 'id' as "releasedById"
      from data.legal_holds h
      where h.tenant_id = $1 and h.created_at < $3 and (h.released_at is null or h.released_at >= $2)`,
    order: '"placedAt", "holdId"',
    finding: recorded,
  }),
];
