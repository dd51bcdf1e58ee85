import { Injectable } from '@nestjs/common';
import { reachOf } from '#libs/auth/current-principal.js';
import { riskOf } from '#libs/auth/permission-risk.js';
import { permissionNames, PermissionSet, permissionTexts } from '#libs/auth/permissions.js';
import { MemberRights } from '#libs/auth/rights.js';
import { grantsOf, SYSTEM_ROLES, type SystemRole } from '#libs/auth/roles.js';
import { didYouMean } from '#libs/http/problems/hints.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import type { PageQuery } from '#libs/resource/lists/page-query.js';
import { type KnownOperation, OperationCatalogue } from './operation-catalogue.js';
import type { DiscoveredPermissionList, NeededScopes } from './operation.dto.js';

const EVERYTHING = new PermissionSet(['*']);
const ROLES = (Object.keys(SYSTEM_ROLES) as SystemRole[]).map((role) => ({
  role,
  rights: new MemberRights(EVERYTHING, grantsOf(role)),
}));

/** The permissions of the platform, and those that operations require. */
@Injectable()
export class PermissionsService {
  constructor(
    private readonly catalogue: OperationCatalogue,
    private readonly cursors: Cursors,
  ) {}

  async list(query: PageQuery): Promise<DiscoveredPermissionList> {
    const operations = [...(await this.catalogue.all()).values()];
    const users = Map.groupBy(operations, ({ route }) => route.permission);
    const entries = [...permissionNames()].sort().map((permission) => ({
      id: permission,
      permission,
      meaning: permissionTexts()[permission],
      risk: riskOf(permission),
      roles: ROLES.flatMap(({ role, rights }) => {
        const reach = rights.reach(permission);
        return reach === null ? [] : [{ role, reach }];
      }),
      operations: (users.get(permission) ?? []).map(({ id }) => id),
      reach: reachOf(permission),
    }));
    return pageOfAll(entries, query, this.cursors, ['discovery.permissions']);
  }

  /**
   * The minimal scopes for a set of operations: exactly those that they require, without wildcards.
   * @throws Problem 400 for unknown operations, and for those that require a SCIM token instead of scopes.
   */
  async scopesFor(ids: readonly string[]): Promise<NeededScopes> {
    const known = await this.catalogue.all();
    const violations = ids.flatMap((id) => faultsOf(id, known));
    if (violations.length > 0) throw Problem.validation(violations);
    const asked = ids.map((id) => known.get(id)!);
    const scopes = [
      ...new Set(asked.flatMap(({ route: { permission } }) => (permission.includes(':') ? [permission] : []))),
    ];
    return {
      operations: [...ids],
      scopes: scopes.sort(),
      conditional: asked.flatMap(({ id, route: { besides = [] } }) =>
        besides.map((each) => ({ operation: id, ...each })),
      ),
      protected: asked.filter(({ route }) => route.protected !== undefined).map(({ id }) => id),
      missing: scopes.filter((scope) => reachOf(scope) !== 'tenant'),
    };
  }
}

function faultsOf(id: string, known: ReadonlyMap<string, KnownOperation>): Violation[] {
  const found = known.get(id);
  const parameter = 'operations';
  if (!found)
    return [
      { parameter, code: 'invalid_value', detail: `There is no operation ${id}.${didYouMean(id, known.keys())}` },
    ];
  if (found.route.credential !== 'scim_token') return [];
  return [{ parameter, code: 'invalid_value', detail: `${id} requires a SCIM token, not scopes.` }];
}
