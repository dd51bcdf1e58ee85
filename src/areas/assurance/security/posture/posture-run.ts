import { Column } from 'typeorm';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { integer, listOf, nested, oneOf } from '#libs/http/field.js';
import { ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import type { Verdict } from './posture-check.js';
import { type Grade, GRADES, type PostureStatus } from './posture-score.js';
import { PostureChange } from './posture.parts.js';

/** A check in a run: what was found, and its status with the exceptions of that time. */
export interface StoredResult {
  verdict: Verdict;
  status: PostureStatus;
  since: string;
}

export const TRIGGERS = ['request', 'schedule'] as const;

/** One assessment of a tenant. */
export class PostureRun extends VersionedRow {
  @ReadOnly(integer({ min: 0, max: 100 }), 'Score of the tenant.', { example: 84 })
  score!: number;

  @ReadOnly(oneOf(GRADES), 'Grade of the score.', { example: 'B' })
  grade!: Grade;

  @ReadOnly(oneOf(TRIGGERS), 'Whether somebody requested the run, or it was the daily one.', { example: 'schedule' })
  trigger!: (typeof TRIGGERS)[number];

  @ReadOnly(listOf(nested(PostureChange), { max: 100 }), 'Checks whose status differs from the previous run.', {
    example: [{ checkKey: 'credentials.key_wildcard', severity: 'high', from: 'pass', to: 'fail' }],
  })
  changes!: PostureChange[];

  @ReadOnly(integer({ min: 0, max: 100 }), 'Number of critical checks that began to fail.', { example: 0 })
  newCriticalFailures!: number;

  /** By key of the check. */
  @Column('jsonb')
  results!: Record<string, StoredResult>;
}

export const postureRuns = governedType(PostureRun, {
  type: 'security.posture',
  noun: 'security assessment',
  table: 'data.posture_runs',
  path: '/api/admin/security/posture',
  hasPath: false,
  without: ['updatedAt'],
  risk: 'low',
  events: { assessed: 'The security checks of the tenant ran.' },
});
