import { Injectable } from '@nestjs/common';
import { currentPrincipal, holds, requirePermission, requireProtected } from '#libs/auth/current-principal.js';
import { coveredBy, type Permission } from '#libs/auth/permissions.js';
import { Clock } from '#libs/kernel/clock.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { areNetworksWithin } from '#libs/kernel/network.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import { isOwner } from '#libs/members/role-book.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { type ApiKey, LONGEST_DAYS, PROTECTED_DAYS } from './api-key.js';

const MANAGE: Permission = 'api-keys:manage';
const MANAGE_ALL: Permission = 'api-keys:manage-all';

/** The rights of a key. */
export type KeyRights = Pick<
  ApiKey,
  'memberId' | 'scopes' | 'workspaceIds' | 'ipAllowList' | 'allowProtected' | 'expiresAt' | 'issuedAt'
>;

/** Rules for creating and managing keys. */
@Injectable()
export class ApiKeyRules {
  constructor(
    private readonly clock: Clock,
    private readonly settings: TenantSettings,
  ) {}

  /** Latest expiry of a secret created at an instant; null for no limit. */
  async latestExpiry({ issuedAt, allowProtected }: Pick<KeyRights, 'issuedAt' | 'allowProtected'>) {
    const { apiKeyMaxAgeDays } = (await this.settings.get()).security;
    const days = Math.min(apiKeyMaxAgeDays ?? Infinity, allowProtected ? PROTECTED_DAYS : Infinity);
    return days === Infinity ? null : inDays(days, issuedAt);
  }

  /** The member that a new key acts for. @throws Problem 403 if the caller may not create keys of this kind. */
  ownerOf(kind: ApiKey['kind']): string | null {
    const { membershipId } = currentPrincipal();
    if (kind === 'service') {
      if (!managesService()) throw refused('You can only create personal keys.', MANAGE);
      return null;
    }
    if (membershipId === null)
      throw new Problem('permission_denied', 'Creating a personal key requires a credential that acts for a person.');
    return membershipId;
  }

  /** Whether the caller may see a key: their own, service keys with no more rights than theirs, or all. */
  isSeen(key: KeyRights): boolean {
    return holds(MANAGE_ALL) || this.isManaged(key);
  }

  /** Requires that the caller may receive the secret of a key. @throws Problem 403. */
  requireSecretOf(key: KeyRights): void {
    if (!this.isManaged(key))
      throw refused(
        'The secret is only shown to the owner, or for a service key to callers with all its rights.',
        MANAGE,
      );
    if (key.allowProtected) this.requireMaker();
    if (!isBoundWithin(key.ipAllowList, currentPrincipal().networks))
      throw refused('A key bound to addresses can only rotate keys for these addresses.', MANAGE);
    demand(coveredBy(key.scopes), key.memberId);
  }

  /**
   * Requires that the caller may grant a key its new rights.
   * @param before null for a new key
   * @throws Problem 400, 403.
   */
  async requireAllowed(before: KeyRights | null, after: KeyRights): Promise<void> {
    const violations = [...this.violationsOf(before, after), ...(await this.ageViolations(before, after))];
    if (violations.length > 0) throw Problem.validation(violations);
    if (after.expiresAt !== before?.expiresAt && this.isForLong(after) && !holds(MANAGE_ALL))
      throw refused(`A key with a lifetime of more than ${LONGEST_DAYS} days requires another permission.`, MANAGE_ALL);
    this.requireWithin(before, after);
    if (after.allowProtected) this.requireMaker();
  }

  /**
   * Requires that limits of a key lie within those of the plan.
   * @param id of an existing key
   * @throws Problem 400; 403 `not_by_oneself` for a key that changes its own limits.
   */
  requireLimits(limits: Partial<Pick<ApiKey, 'readsPerMinute' | 'writesPerMinute'>>, id: string | null = null): void {
    const { limits: plan, kind, lineageId } = currentPrincipal();
    const asked = [
      ['readsPerMinute', plan.read],
      ['writesPerMinute', plan.write],
    ] as const;
    if (kind === 'api_key' && lineageId === id && asked.some(([field]) => field in limits))
      throw new Problem('not_by_oneself', 'A key cannot change its own limits.');
    const violations = asked.flatMap(([field, most]): Violation[] =>
      (limits[field] ?? 0) > most
        ? [{ pointer: `/${field}`, code: 'out_of_range', detail: `The plan allows ${most} a minute.` }]
        : [],
    );
    if (violations.length > 0) throw Problem.validation(violations);
  }

  private isForLong({ expiresAt }: KeyRights): boolean {
    return expiresAt === null || Date.parse(expiresAt) > this.clock.nowMs() + LONGEST_DAYS * DAY_MS;
  }

  private violationsOf(
    before: KeyRights | null,
    { memberId, scopes, allowProtected, expiresAt }: KeyRights,
  ): Violation[] {
    const now = this.clock.nowMs();
    const violations: Violation[] = [];
    if (expiresAt !== null && expiresAt !== before?.expiresAt && Date.parse(expiresAt) <= now)
      violations.push({ pointer: '/expiresAt', code: 'out_of_range', detail: 'It must be in the future.' });
    if (!allowProtected) return violations;
    if (expiresAt === null || Date.parse(expiresAt) > now + PROTECTED_DAYS * DAY_MS)
      violations.push({
        pointer: '/expiresAt',
        code: 'out_of_range',
        detail: `A key for protected operations lives for at most ${PROTECTED_DAYS} days.`,
      });
    if (memberId !== null && scopes.some((scope) => scope.includes('*')))
      violations.push({
        pointer: '/scopes',
        code: 'wildcard_not_allowed',
        detail: 'A personal key for protected operations names each of its permissions.',
      });
    return violations;
  }

  /** Existing keys keep their expiry, even if the tenant shortens the maximum age. */
  private async ageViolations(before: KeyRights | null, after: KeyRights): Promise<Violation[]> {
    const { expiresAt } = after;
    const { apiKeyMaxAgeDays } = (await this.settings.get()).security;
    if (apiKeyMaxAgeDays === null || expiresAt === before?.expiresAt) return [];
    const latest = inDays(apiKeyMaxAgeDays, after.issuedAt);
    if (expiresAt !== null && expiresAt <= latest) return [];
    const detail = `The settings of the tenant limit the secret of a key to ${apiKeyMaxAgeDays} days: it must expire by ${latest}.`;
    return [{ pointer: '/expiresAt', code: 'out_of_range', detail }];
  }

  /**
   * Added rights must be within the caller's own rights. A key that can be used from more places or for longer gets all
   * its rights anew.
   */
  private requireWithin(before: KeyRights | null, after: KeyRights): void {
    const isWidened =
      !before ||
      !isConfinedWithin(after.workspaceIds, before.workspaceIds) ||
      !isBoundWithin(after.ipAllowList, before.ipAllowList) ||
      isLater(after.expiresAt, before.expiresAt);
    const known = new Set(isWidened ? [] : coveredBy(before.scopes));
    const added = coveredBy(after.scopes).filter((permission) => !known.has(permission));
    const missingPermissions = added.filter((permission) => !may(permission, after.memberId));
    if (missingPermissions.length > 0)
      throw new Problem('grant_exceeds_rights', 'A key cannot have more rights than its creator.', {
        extensions: { missingPermissions },
      });
    demand(added, after.memberId);
    const { networks, authority } = currentPrincipal();
    const { confinedTo } = authority;
    if (confinedTo && isWidened && !isConfinedWithin(after.workspaceIds, confinedTo))
      throw new Problem(
        'grant_exceeds_rights',
        'A key confined to workspaces can only create keys for these workspaces.',
      );
    if (isWidened && !isBoundWithin(after.ipAllowList, networks))
      throw new Problem('grant_exceeds_rights', 'A key bound to addresses can only create keys for these addresses.');
  }

  private requireMaker(): void {
    if (!isOwner(currentPrincipal()))
      throw new Problem('permission_denied', 'Only owners can create, change or rotate keys for protected operations.');
    requireProtected(this.clock.nowMs());
  }

  private isManaged({ memberId, scopes, workspaceIds }: KeyRights): boolean {
    const { membershipId, authority } = currentPrincipal();
    if (memberId !== null) return memberId === membershipId;
    const isReached = authority.confinedTo === null || isConfinedWithin(workspaceIds, authority.confinedTo);
    return managesService() && isReached && coveredBy(scopes).every((permission) => may(permission, null));
  }
}

function inDays(days: number, from: string): string {
  return new Date(Date.parse(from) + days * DAY_MS).toISOString();
}

function managesService(): boolean {
  const { permissions } = currentPrincipal();
  return [MANAGE, MANAGE_ALL].some((each) => permissions.reachWithin(each) === 'tenant');
}

/** Whether the caller may grant a permission to a key. A personal key never has more rights than its owner. */
function may(permission: string, memberId: string | null): boolean {
  const { permissions } = currentPrincipal();
  return memberId === null ? permissions.reachWithin(permission) === 'tenant' : permissions.has(permission);
}

/** Requires the rights of a key, so its secret is not shown again to a caller who has lost them. */
function demand(permissions: readonly string[], memberId: string | null): void {
  const withinReach = memberId !== null || currentPrincipal().authority.confinedTo !== null;
  for (const permission of permissions) requirePermission(permission, { withinReach });
}

/** Whether the first confinement lies within the second; an empty list means no limit. */
function isConfinedWithin(inner: readonly string[], outer: readonly string[]): boolean {
  return outer.length === 0 || (inner.length > 0 && inner.every((id) => outer.includes(id)));
}

/** Whether the first addresses lie within the second; an empty list means any. */
function isBoundWithin(inner: readonly string[], outer: readonly string[]): boolean {
  return outer.length === 0 || (inner.length > 0 && areNetworksWithin(inner, outer));
}

/** Whether the first expiry is later than the second; null means never. */
function isLater(expiresAt: string | null, before: string | null): boolean {
  return before !== null && (expiresAt === null || expiresAt > before);
}

function refused(detail: string, requiredPermission: Permission): Problem {
  return new Problem('permission_denied', detail, { extensions: { requiredPermission } });
}
