import type { EntityClass } from '#libs/database/data-source.js';
import { Membership } from '#libs/members/membership.entity.js';
import { AccessReview } from './access-reviews/access-review.js';
import { AccessReviewItem } from './access-reviews/access-review-item.js';
import { AuditLogRow } from './audit-logs/audit-log.entity.js';
import { AuditStream } from './audit-streams/audit-stream.js';
import { Invitation } from './invitations/invitation.js';
import { Onboarding } from './onboarding/onboarding.js';
import { ResourceGrant } from './resource-permissions/resource-grant.js';
import { LegalHold } from './retention/legal-hold.js';
import { RetentionPolicy } from './retention/retention-policy.js';
import { RetentionRun } from './retention/retention-run.js';
import { Role } from './roles/role.js';
import { Handoff } from './sales-handoff/handoff.js';
import { HandoffTemplate } from './sales-handoff/handoff-template.js';
import { ScimConfiguration } from './scim-configurations/scim-configuration.js';
import { Secret } from './secrets/secret.js';
import { PostureCheckSetting } from './security/posture/posture-check-setting.js';
import { PostureRun } from './security/posture/posture-run.js';
import { Mapping } from './talent-mapping/mapping.js';
import { MappingTemplate } from './talent-mapping/mapping-template.js';
import { Workspace } from './workspaces/workspace.js';

export const ADMIN_ENTITIES: EntityClass[] = [
  AccessReview,
  AccessReviewItem,
  Invitation,
  ResourceGrant,
  AuditLogRow,
  LegalHold,
  Mapping,
  MappingTemplate,
  AuditStream,
  Handoff,
  HandoffTemplate,
  Membership,
  Onboarding,
  PostureCheckSetting,
  PostureRun,
  RetentionPolicy,
  RetentionRun,
  Role,
  ScimConfiguration,
  Secret,
  Workspace,
];
