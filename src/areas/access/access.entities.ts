import type { EntityClass } from '#libs/database/data-source.js';
import { Membership } from '#libs/members/membership.entity.js';
import { AccessReview } from './access-reviews/access-review.js';
import { AccessReviewItem } from './access-reviews/access-review-item.js';
import { ApiKey } from './api-keys/api-key.js';
import { Invitation } from './invitations/invitation.js';
import { ResourceGrant } from './resource-permissions/resource-grant.js';
import { Role } from './roles/role.js';
import { ScimConfiguration } from './scim-configurations/scim-configuration.js';
import { Workspace } from './workspaces/workspace.js';

export const ACCESS_ENTITIES: EntityClass[] = [
  Membership,
  AccessReview,
  AccessReviewItem,
  ApiKey,
  Invitation,
  ResourceGrant,
  Role,
  ScimConfiguration,
  Workspace,
];
