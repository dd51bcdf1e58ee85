import type { EntityClass } from '#libs/database/data-source.js';
import { Membership } from '#libs/members/membership.entity.js';
import { AuditLogRow } from './audit-logs/audit-log.entity.js';
import { AuditStream } from './audit-streams/audit-stream.js';
import { Invitation } from './invitations/invitation.js';
import { ResourceGrant } from './resource-permissions/resource-grant.js';
import { Role } from './roles/role.js';
import { ScimConfiguration } from './scim-configurations/scim-configuration.js';
import { Secret } from './secrets/secret.js';
import { Workspace } from './workspaces/workspace.js';

export const ADMIN_ENTITIES: EntityClass[] = [
  Invitation,
  ResourceGrant,
  AuditLogRow,
  AuditStream,
  Membership,
  Role,
  ScimConfiguration,
  Secret,
  Workspace,
];
