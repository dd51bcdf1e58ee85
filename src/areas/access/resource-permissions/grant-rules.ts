import { Injectable } from '@nestjs/common';
import { Authorities, type Authority } from '#libs/auth/authority.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { type Level, LEVELS, levelOf, rankOf } from '#libs/auth/levels.js';
import type { Reach } from '#libs/auth/reach.js';
import { SYSTEM_ROLE_IDS, systemRoleOf } from '#libs/auth/roles.js';
import { isBehindCaller } from '#libs/auth/second-person.js';
import { Problem } from '#libs/kernel/problem.js';
import type { ResourceDefinition } from '#libs/resource/types/definition.js';
import { type Resource, ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { ResourceGrant } from './resource-grant.js';
import { ResourceGrantsRepository } from './resource-grants.repository.js';

/** Permission to grant and revoke exceptions. The level `manage` on a record implies it for that record. */
export const MANAGE = 'resource-permissions:manage';

/** A requested exception. */
export type WantedGrant = Pick<
  ResourceGrant,
  'object' | 'objectId' | 'workspaceId' | 'principalType' | 'principalId' | 'level' | 'effect' | 'expiresAt' | 'reason'
>;

type Denial = Pick<ResourceGrant, 'effect' | 'principalType' | 'principalId' | 'givenWith'>;
type Target = Pick<ResourceGrant, 'object' | 'objectId' | 'workspaceId'>;

/** Rules for who may grant which exceptions to whom. */
@Injectable()
export class GrantRules {
  constructor(
    private readonly repository: ResourceGrantsRepository,
    private readonly registry: ResourceRegistry,
    private readonly authorities: Authorities,
  ) {}

  /**
   * Checks that the caller may grant exceptions for a target; returns the caller's own levels there.
   * @throws Problem 400 at `place` for a target that does not exist or is not visible, 403 `permission_denied`.
   */
  async levelsAt({ object, objectId, workspaceId }: Target, place: string): Promise<Level[]> {
    const resource = this.registry.ofType(object);
    if (!resource) throw unknown(`${place}/object`, 'There are no records of this type.');
    if (workspaceId !== null && !(await this.repository.isWorkspace(workspaceId)))
      throw unknown(`${place}/workspaceId`, 'There is no such workspace.');
    return objectId === null
      ? this.levelsInWorkspace(resource, workspaceId!)
      : this.levelsAtRecord(resource, objectId, place);
  }

  /** @throws Problem 400 for an unknown principal, 403 for a grant to oneself or above one's own level. */
  async check(wanted: WantedGrant, levels: readonly Level[], place: string): Promise<void> {
    const { principalType: type, principalId: id, effect, level } = wanted;
    const isKnown = (type === 'role' && systemRoleOf(id) !== null) || (await this.repository.isKnown(type, id));
    if (!isKnown) throw unknown(`${place}/principal/id`, `There is no such ${type.replace('_', ' ')}.`);
    if (effect === 'deny') return;
    if ((type === 'membership' && isBehindCaller(id)) || (await this.repository.isForOwnKey(wanted)))
      throw new Problem('not_by_oneself', 'You cannot grant rights to yourself; ask somebody else.');
    if (!levels.includes(level))
      throw new Problem('grant_exceeds_rights', `You do not have the level ${level} there yourself.`);
  }

  /**
   * Refuses a change of a denial that applies to the caller or to the person behind the calling key, because nobody may
   * extend their own rights. Owners are exempt, because they hold all rights. @throws Problem 403 `not_by_oneself`.
   */
  async refuseOwnRelief(grant: Denial): Promise<void> {
    if (grant.effect === 'allow') return;
    const { authority, membershipId, makerId } = currentPrincipal();
    const maker = membershipId === null ? makerId : null;
    const positions = [authority, ...(maker === null ? [] : [(await this.authorities.read(maker, [])).authority])];
    if (positions.some(({ roleIds }) => roleIds.includes(SYSTEM_ROLE_IDS.owner))) return;
    if (positions.some((each) => isDenied(grant, each)) || (await this.repository.isForOwnKey(grant)))
      throw new Problem('not_by_oneself', 'This denial applies to you; ask somebody else to change it.');
  }

  /**
   * Checks that the caller may revoke an exception: those who could grant it and, if the record no longer exists,
   * callers with full reach. @throws Problem 403.
   */
  async mayRevoke(grant: Target): Promise<void> {
    if (currentPrincipal().permissions.reach(MANAGE) === 'tenant') return;
    try {
      await this.levelsAt(grant, '');
    } catch (error) {
      throw error instanceof Problem && error.status === 400 ? refused() : error;
    }
  }

  private async levelsAtRecord({ service }: Resource, id: string, place: string): Promise<Level[]> {
    const explanation = await service.explain(id, [MANAGE]);
    if (!explanation?.levels.includes('view')) throw unknown(`${place}/objectId`, 'There is no such record.');
    const manages = explanation.decisions.find(({ permission }) => permission === MANAGE)!;
    if (!manages.permitted) throw refused();
    return explanation.levels;
  }

  private levelsInWorkspace({ definition }: Resource, id: string): Level[] {
    const { permissions, authority } = currentPrincipal();
    const reaches = (reach: Reach | null) =>
      reach === 'tenant' || (reach === 'workspace' && authority.workspaceIds.includes(id));
    if (!reaches(permissions.reach(MANAGE))) throw refused();
    const held = permissionsOf(definition).filter((permission) => reaches(permissions.reach(permission)));
    return LEVELS.filter((level) =>
      permissionsOf(definition).every((permission) => levelOf(permission) > rankOf(level) || held.includes(permission)),
    );
  }
}

/** Whether a denial applies to a principal. */
function isDenied({ principalType, principalId, givenWith }: Denial, { denied, powers }: Authority): boolean {
  const isForMany = principalType === 'role' || principalType === 'workspace';
  return denied.includes(principalId) && (!isForMany || powers.every((power) => givenWith.includes(power)));
}

function permissionsOf({ permissions, lifecycle }: ResourceDefinition): string[] {
  const { read, write } = permissions;
  return [read, 'comments:write', write, ...Object.values(lifecycle.transitions).map((each) => each.permission)];
}

function refused(): Problem {
  return new Problem('permission_denied', `This requires the permission ${MANAGE} there, or the level manage.`, {
    extensions: { requiredPermission: MANAGE },
  });
}

function unknown(pointer: string, detail: string): Problem {
  return Problem.validation([{ pointer, code: 'unknown_reference', detail }]);
}
