import type { EntityClass } from '#libs/database/data-source.js';
import { Membership } from '#libs/members/membership.entity.js';
import { AuditLogRow } from './audit-logs/audit-log.entity.js';
import { Invitation } from './invitations/invitation.js';
import { ResourceGrant } from './resource-permissions/resource-grant.js';
import { LegalHold } from './retention/legal-hold.js';
import { RetentionPolicy } from './retention/retention-policy.js';
import { RetentionRun } from './retention/retention-run.js';
import { Role } from './roles/role.js';
import { ScimConfiguration } from './scim-configurations/scim-configuration.js';
import { Secret } from './secrets/secret.js';
import { Workspace } from './workspaces/workspace.js';

export const ADMIN_ENTITIES: EntityClass[] = [
  Invitation,
  ResourceGrant,
  AuditLogRow,
  LegalHold,
  Membership,
  RetentionPolicy,
  RetentionRun,
  Role,
  ScimConfiguration,
  Secret,
  Workspace,
];
