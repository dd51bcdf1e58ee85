import { Injectable } from '@nestjs/common';
import { Authorities, type Authority } from '#libs/auth/authority.js';
import { adopt, callerOrNull } from '#libs/auth/current-principal.js';
import { PermissionSet } from '#libs/auth/permissions.js';
import type { Principal } from '#libs/auth/principal.js';
import { MemberRights } from '#libs/auth/rights.js';
import { parseGrants, grantsOf, type RoleGrant, systemRoleOf } from '#libs/auth/roles.js';
import { levelOf, rankOf } from '#libs/auth/levels.js';
import { Problem } from '#libs/kernel/problem.js';
import type { ResourceDefinition } from '#libs/resource/types/definition.js';
import { personsIn } from '#libs/resource/lists/list-query.js';
import type { Explanation, PermissionDecision } from '#libs/resource/access/record-explanation.js';
import { type Resource, ResourceRegistry } from '#libs/resource/resource-registry.js';
import { currentScope, currentTenant, runInScope, Scope } from '#libs/tenancy/scope.js';
import type { DecisionStep, EffectivePermissions } from './resource-grant.requests.js';
import type { ResourceGrant } from './resource-grant.js';
import { ResourceGrantsRepository } from './resource-grants.repository.js';

const READ = 'resource-permissions:read';
const EVERYTHING = new PermissionSet(['*']);

/** Parameters of a query for effective rights. */
export interface EffectiveQuery {
  object?: string;
  objectId?: string;
  membershipId?: string;
}

interface RoleOf {
  name: string;
  grants: readonly RoleGrant[];
}

/** The sources of decisions. */
interface Sources {
  roles: readonly RoleOf[];
  exceptions: readonly Pick<ResourceGrant, 'id' | 'effect' | 'level'>[];
}

/** Explains the rights of members on records by running the guards on their behalf. */
@Injectable()
export class EffectiveRights {
  constructor(
    private readonly authorities: Authorities,
    private readonly registry: ResourceRegistry,
    private readonly repository: ResourceGrantsRepository,
  ) {}

  /** @throws Problem 400 for an unknown member, type or record; 403 for a record out of the caller's reach. */
  async of({ object, objectId, ...query }: EffectiveQuery): Promise<EffectivePermissions> {
    const membershipId = personsIn(query.membershipId) as string | undefined;
    const named = { object, objectId, membershipId };
    const missing = Object.entries(named).filter(([, value]) => value === undefined);
    if (object === undefined || objectId === undefined || membershipId === undefined)
      throw Problem.validation(
        missing.map(([parameter]) => fault(parameter, 'required', 'The parameter is required.')),
      );
    const resource = this.registry.ofType(object);
    if (!resource)
      throw Problem.validation([fault('object', 'unknown_reference', 'There are no records of this type.')]);
    await this.admit(resource, objectId);
    const { status, grants, authority } = await this.authorities.read(membershipId, []);
    if (status === 'deleted')
      throw Problem.validation([fault('membershipId', 'unknown_reference', 'There is no such member.')]);
    const isActive = status === 'active';
    const principal = this.principalOf(membershipId, authority, isActive ? grants : []);
    const explanation = (await asMember(principal, () => resource.service.explain(objectId)))!;
    const sources = await this.sourcesOf(resource.definition, objectId, authority);
    const trace = explanation.decisions.map((decision) => stepOf(decision, explanation, sources));
    return { membershipId, object, objectId, levels: isActive ? explanation.levels : [], trace };
  }

  private async admit({ service }: Resource, objectId: string): Promise<void> {
    const explanation = await service.explain(objectId, [READ]);
    if (!explanation?.levels.includes('view'))
      throw Problem.validation([fault('objectId', 'unknown_reference', 'There is no such record.')]);
    if (!explanation.decisions.find(({ permission }) => permission === READ)!.permitted)
      throw new Problem('permission_denied', `The permission ${READ} does not reach this record.`, {
        extensions: { requiredPermission: READ },
      });
  }

  private principalOf(membershipId: string, authority: Authority, grants: readonly RoleGrant[]): Principal {
    return {
      ...callerOrNull()!, // tenant of the caller; rights and authority of the member
      membershipId,
      authority,
      permissions: new MemberRights(EVERYTHING, grants),
      allowProtected: false,
    };
  }

  private async sourcesOf(definition: ResourceDefinition, objectId: string, authority: Authority): Promise<Sources> {
    const own = await this.repository.roles(authority.roleIds);
    const system = authority.roleIds.map(systemRoleOf).filter((role) => role !== null);
    return {
      roles: [
        ...system.map((role) => ({ name: role, grants: grantsOf(role) })),
        ...own.map(({ key, permissions }) => ({ name: key, grants: parseGrants(permissions) })),
      ],
      exceptions: await this.repository.inForce(definition, objectId, authority),
    };
  }
}

/** Runs read-only work as if a member had requested it. */
function asMember<T>(principal: Principal, work: () => Promise<T>): Promise<T> {
  const outer = currentScope();
  const scope = new Scope(outer.requestId);
  adopt(scope, principal);
  scope.tenant = currentTenant();
  scope.refresh = outer.refresh;
  scope.startsOver = outer.startsOver;
  return runInScope(scope, work);
}

/** The rule that decided on a permission: the first match in decision order. */
function stepOf(decision: PermissionDecision, { concealed }: Explanation, sources: Sources): DecisionStep {
  const { permission, level, denied, reached, allowed, permitted } = decision;
  const step = (rule: string, source: string | null): DecisionStep => ({
    permission,
    level,
    rule,
    source,
    effect: permitted ? 'allow' : 'deny',
  });
  if (concealed) return step('type_rule', null);
  if (denied) return step('deny_grant', idsOf(sources, 'deny', permission));
  if (reached) return step('role', rolesOf(sources, permission));
  if (allowed) return step('allow_grant', idsOf(sources, 'allow', permission));
  return step('default', null);
}

function idsOf({ exceptions }: Sources, wanted: 'allow' | 'deny', permission: string): string {
  const wantedRank = levelOf(permission);
  const ids = exceptions
    .filter(({ effect, level }) =>
      effect !== wanted ? false : wanted === 'deny' ? rankOf(level) <= wantedRank : rankOf(level) >= wantedRank,
    )
    .map(({ id }) => id);
  return ids.slice(0, 8).join(', ');
}

function rolesOf({ roles }: Sources, wanted: string): string {
  const found = roles.flatMap(({ name, grants }) =>
    grants.filter(({ permission }) => permission === wanted).map(({ reach }) => `${name}@${reach}`),
  );
  return [...new Set(found)].slice(0, 8).join(', ');
}

function fault(parameter: string, code: string, detail: string) {
  return { parameter, code, detail };
}
