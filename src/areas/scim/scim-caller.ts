import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { existingRoles } from './grants/grant-statements.js';

const FIND = `select id, name, status, ${existingRoles('default_role_ids')} as "defaultRoleIds", deprovision_action as "deprovisionAction",
    allowed_domains as "allowedDomains"
  from data.scim_configs where tenant_id = $1 and id = $2 and deleted_at is null`;

/** The configuration of an identity provider, as its calls are bound by it. */
export interface ScimConfig {
  id: string;
  name: string;
  status: 'active' | 'disabled';
  /** Roles of new members. */
  defaultRoleIds: string[];
  /** What happens to a membership on `active: false`. */
  deprovisionAction: 'suspend' | 'deactivate';
  /** Domains that addresses may be in, in lower case; empty for any. */
  allowedDomains: string[];
}

/**
 * The configuration that the calling token belongs to; it is the lineage of its tokens. Remembered per process and epoch,
 * as every change of it raises the tenant's epoch.
 */
@Injectable()
export class ScimCaller {
  private readonly known = new LRUCache<string, ScimConfig>({ max: 1_000 });

  constructor(private readonly database: Database) {}

  /** @throws Problem 401 when the configuration has been deleted. */
  async config(): Promise<ScimConfig> {
    const { lineageId } = currentPrincipal();
    const { id: tenantId, epoch } = currentTenant();
    const key = `${tenantId}|${lineageId}|${epoch}`;
    let config = this.known.get(key);
    if (!config) {
      [config] = await this.database.read<ScimConfig>(statement(FIND, [tenantId, lineageId]));
      if (!config) throw new Problem('unauthenticated', 'The credential is missing or not valid.');
      this.known.set(key, config);
    }
    return config;
  }
}
