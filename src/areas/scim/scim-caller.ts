import { Injectable } from '@nestjs/common';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { Database } from '#libs/database/database.js';
import { TenantMemory } from '#libs/database/memory.js';
import { statement } from '#libs/database/statement.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { existingRoles } from './grants/grant-statements.js';

const FIND = `select id, name, status, ${existingRoles('default_role_ids')} as "defaultRoleIds", deprovision_action as "deprovisionAction",
    allowed_domains as "allowedDomains"
  from data.scim_configs where tenant_id = $1 and id = $2 and deleted_at is null`;

/** The settings of an identity provider's configuration that apply to its calls. */
export interface ScimConfig {
  id: string;
  name: string;
  status: 'active' | 'disabled';
  /** Roles assigned to new members. */
  defaultRoleIds: string[];
  /** Effect of `active: false` on a membership. */
  deprovisionAction: 'suspend' | 'deactivate';
  /** Allowed e-mail domains, in lower case; empty for any. */
  allowedDomains: string[];
}

/**
 * The configuration of the calling token, which is the lineage of its tokens. Cached per process and epoch, because
 * every change of a configuration increases the tenant's epoch.
 */
@Injectable()
export class ScimCaller {
  private readonly known = new TenantMemory<ScimConfig>(1_000);

  constructor(private readonly database: Database) {}

  /** @throws Problem 401 when the configuration has been deleted. */
  config(): Promise<ScimConfig> {
    const { lineageId } = currentPrincipal();
    return this.known.get(async () => {
      const [config] = await this.database.read<ScimConfig>(statement(FIND, [currentTenant().id, lineageId]));
      if (!config) throw new Problem('unauthenticated', 'The credential is missing or not valid.');
      return config;
    }, lineageId);
  }
}
