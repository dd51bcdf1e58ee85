import type { EntityClass } from '#libs/database/data-source.js';
import { AuditLogRow } from './audit-logs/audit-log.entity.js';
import { AuditStream } from './audit-streams/audit-stream.js';
import { LegalHold } from './retention/legal-hold.js';
import { RetentionPolicy } from './retention/retention-policy.js';
import { RetentionRun } from './retention/retention-run.js';
import { PostureCheckSetting } from './security/posture/posture-check-setting.js';
import { PostureRun } from './security/posture/posture-run.js';

export const ASSURANCE_ENTITIES: EntityClass[] = [
  AuditLogRow,
  AuditStream,
  LegalHold,
  RetentionPolicy,
  RetentionRun,
  PostureCheckSetting,
  PostureRun,
];
