import { hash } from 'node:crypto';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { id, nested, oneOf, text } from '#libs/http/field.js';
import { ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { type PostureCheck, SEVERITIES, type Severity } from './posture-check.js';
import { PostureAcknowledgement, PostureException, thresholds } from './posture.parts.js';

const ACTOR = { type: 'member', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40', name: 'Ana Silva' };

/** What a tenant has decided about a check. Its id is the same in every tenant, like that of a system role. */
export class PostureCheckSetting extends VersionedRow {
  @ReadOnly(text({ max: 60 }), 'Key of the check.', { example: 'credentials.key_wildcard' })
  key!: string;

  @ReadOnly(nested(PostureException), 'The last exception; null if it was removed.', {
    example: {
      reason: 'Migration until March',
      expiresAt: '2027-03-01T00:00:00.000Z',
      grantedAt: '2026-11-21T09:15:02.114Z',
      grantedBy: ACTOR,
    },
    nullable: true,
  })
  exception!: PostureException | null;

  @ReadOnly(id(), 'Membership of the person who is responsible.', { nullable: true })
  ownerId!: string | null;

  @ReadOnly(oneOf(SEVERITIES), 'Severity that replaces the one of the check.', { nullable: true })
  severityOverride!: Severity | null;

  @ReadOnly(thresholds(), 'Thresholds that replace those of the check.', { example: { maxDays: 60 } })
  thresholds!: Record<string, number>;

  @ReadOnly(nested(PostureAcknowledgement), 'The last acknowledgement.', { nullable: true })
  acknowledgement!: PostureAcknowledgement | null;
}

export const postureSettings = governedType(PostureCheckSetting, {
  type: 'security.posture_check',
  noun: 'security check',
  table: 'data.posture_checks',
  path: '/api/admin/security/posture',
  hasPath: false,
  risk: 'medium',
  events: {
    updated: 'The owner, severity or thresholds of a security check changed.',
    exception_granted: 'The risk that a security check shows was accepted for some time.',
    exception_removed: 'The exception of a security check was removed.',
    acknowledged: 'Somebody is dealing with a failing security check.',
  },
});

/** Id of a check. */
export function checkIdOf(key: string): string {
  return `00000000-0000-7000-8000-${hash('sha256', key, 'hex').slice(0, 12)}`;
}

/** The setting of a check that the tenant has not touched. */
export function untouched(key: string, tenantId: string, at: string): PostureCheckSetting {
  const own = { exception: null, ownerId: null, severityOverride: null, thresholds: {}, acknowledgement: null };
  return { tenantId, id: checkIdOf(key), key, ...own, version: 1, createdAt: at, updatedAt: at };
}

/** The thresholds of a check for a tenant. */
export function limitsOf(check: PostureCheck, setting: PostureCheckSetting | undefined): Record<string, number> {
  const usual = Object.entries(check.thresholds).map(([name, threshold]) => [name, threshold.default]);
  return { ...(Object.fromEntries(usual) as Record<string, number>), ...setting?.thresholds };
}

/** The severity of a check for a tenant. */
export function severityOf(check: PostureCheck, setting: PostureCheckSetting | undefined): Severity {
  return setting?.severityOverride ?? check.severity;
}

/** The exception of a check if it has not ended. */
export function exceptionOf(setting: PostureCheckSetting | undefined, now: string): PostureException | null {
  const exception = setting?.exception ?? null;
  return exception && exception.expiresAt > now ? exception : null;
}
