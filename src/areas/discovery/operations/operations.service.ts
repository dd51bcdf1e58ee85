import { Injectable } from '@nestjs/common';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { entryRefusal } from '#libs/http/entry.js';
import { didYouMean } from '#libs/http/problems/hints.js';
import { Clock } from '#libs/kernel/clock.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { Problem } from '#libs/kernel/problem.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import { type KnownOperation, OperationCatalogue } from './operation-catalogue.js';
import type { DiscoveredOperation, OperationList, OperationQuery } from './operation.dto.js';

/** The operations of the API, and which of them the caller may call. */
@Injectable()
export class OperationsService {
  constructor(
    private readonly catalogue: OperationCatalogue,
    private readonly cursors: Cursors,
    private readonly clock: Clock,
  ) {}

  async list(query: OperationQuery): Promise<OperationList> {
    const { area, permission, allowed } = query;
    const known = [...(await this.catalogue.all()).values()];
    checkKnown('area', area, new Set(known.map((each) => each.area)));
    checkKnown('permission', permission, new Set(known.flatMap(scopesOf)));
    const found = known
      .filter((each) => each.area === (area ?? each.area))
      .filter((each) => permission === undefined || scopesOf(each).includes(permission))
      .map((each) => this.view(each))
      .filter((each) => each.allowed === (allowed ?? each.allowed));
    return pageOfAll(found, query, this.cursors, ['discovery', area, permission, allowed]);
  }

  /** Whether the guards would admit the caller, using their own rules. */
  isAllowed({ route }: KnownOperation): boolean {
    return entryRefusal(currentPrincipal(), route, this.clock.nowMs()) === null;
  }

  private view({ id, area, method, path, operation, route }: KnownOperation): DiscoveredOperation {
    const principal = currentPrincipal();
    const refusal = entryRefusal(principal, route, this.clock.nowMs());
    const isScoped = route.permission !== 'public' && route.permission !== 'any';
    return {
      id,
      area,
      method: method.toUpperCase(),
      path,
      summary: operation.summary ?? id,
      access: accessOf(route),
      scopes: isScoped ? [route.permission] : [],
      partialScopes: [...(route.parts ?? [])],
      conditionalScopes: [...(route.besides ?? [])],
      idempotent: operation['x-idempotent'] === true,
      protected: route.protected !== undefined,
      protectedMembers: Array.isArray(route.protected) ? [...(route.protected as string[])] : [],
      gated: route.problems?.includes('gate_denied') ?? false,
      rateClass: (operation['x-rate-limit-class'] as string | undefined) ?? null,
      allowed: refusal === null,
      refusal: refusal && { code: refusal.code, detail: refusal.detail },
      reach: isScoped ? principal.permissions.reach(route.permission) : null,
    };
  }
}

function accessOf({ permission, credential }: KnownOperation['route']): DiscoveredOperation['access'] {
  if (permission === 'public') return 'public';
  return credential === 'scim_token' ? 'scim_token' : 'credential';
}

/** All scopes that an operation can require. */
function scopesOf({ route }: KnownOperation): string[] {
  const { permission, parts = [], besides = [] } = route;
  return [permission, ...parts, ...besides.map(({ scope }) => scope)].filter((scope) => scope.includes(':'));
}

/** @throws Problem 400 for an unknown value of a parameter. */
export function checkKnown(parameter: string, value: string | undefined, known: ReadonlySet<string>): void {
  if (value === undefined || known.has(value)) return;
  const detail = `Unknown ${parameter}.${didYouMean(value, known)}`;
  throw Problem.validation([{ parameter, code: 'invalid_value', detail }]);
}
