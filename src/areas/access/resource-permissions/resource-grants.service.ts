import { Injectable } from '@nestjs/common';
import { every, type Guard, some } from '#libs/access/guard.js';
import { limitsOf } from '#libs/access/limits.js';
import { currentPrincipal, reachOf } from '#libs/auth/current-principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { aboutKnownRecord, ofReadableTypes } from '#libs/resource/access/disclosure.js';
import { personsIn } from '#libs/resource/lists/list-query.js';
import { onePage } from '#libs/resource/lists/page-of-all.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { GrantChanges } from './grant-changes.js';
import type { WantedGrant } from './grant-rules.js';
import type {
  GrantedResourcePermission,
  GrantedResourcePermissions,
  GrantResourcePermissions,
  NewResourceGrant,
  RevokedResourcePermissions,
} from './resource-grant.requests.js';
import { ResourceGrantsRepository, type GrantKey } from './resource-grants.repository.js';
import { type ResourceGrant, withPrincipal } from './resource-grant.js';

const READ = 'resource-permissions:read';
/** The record that an exception `t` is for. */
const ABOUT = { type: 't.object', id: 't.object_id' };

type Revocation = Partial<GrantKey> & { id?: string };

/** Exceptions to roles. */
@Injectable()
export class ResourceGrantsService {
  constructor(
    private readonly repository: ResourceGrantsRepository,
    private readonly changes: GrantChanges,
    private readonly registry: ResourceRegistry,
  ) {}

  /** With a limited reach, only exceptions for workspaces within it and for visible records there. */
  async list({ membershipId, ...given }: Record<string, unknown>): Promise<Page<ResourceGrant>> {
    const query = membershipId === undefined ? given : { ...given, ...ofMember(personsIn(membershipId)) };
    const seen = every(ofReadableTypes(this.registry, ABOUT), this.within());
    return this.changes.objects.list(query, seen);
  }

  /** Creates exceptions, or changes existing ones with the same key. A refused one does not affect the others. */
  async grant({ grants, ...one }: GrantResourcePermissions): Promise<GrantedResourcePermissions> {
    const wanted = grants && Object.keys(one).length > 0 ? [...grants, one] : grants;
    return this.changes.objects.unit(async (transaction) => {
      transaction.write(this.repository.oneByOne());
      if (wanted === undefined) return onePage([await this.grantOne(transaction, one, '')]);
      const data: GrantedResourcePermission[] = [];
      for (const [index, each] of wanted.entries())
        try {
          data.push(
            await transaction.savepoint(() => this.grantOne(transaction, each, each === one ? '' : `/grants/${index}`)),
          );
        } catch (error) {
          if (!(error instanceof Problem) || error.status >= 500) throw error;
          const document = error.toDocument(currentScope().requestId);
          data.push({ ok: false, grant: null, created: false, changed: false, error: document as never }); // its schema
        }
      return onePage(data);
    });
  }

  /** Revokes an exception, identified by its id or by its records and principal. @throws Problem 404, 403, 412. */
  async revoke(query: Revocation): Promise<RevokedResourcePermissions> {
    return this.changes.objects.unit(async (transaction) => {
      transaction.write(this.repository.oneByOne());
      const id = query.id ?? (await this.repository.idOf(transaction, keyOf(query)));
      if (id === null) return { deleted: 0 };
      await this.changes.revoke(transaction, await this.changes.objects.lock(transaction, id));
      return { deleted: 1 };
    });
  }

  private within(): Guard | null {
    const reach = reachOf(READ);
    if (reach === 'tenant') return null;
    const records = aboutKnownRecord(this.registry, ABOUT, (definition) => limitsOf(definition, READ));
    const { workspaceIds } = currentPrincipal().authority;
    const places: Guard = (add) => `t.workspace_id = any(${add(workspaceIds)}::uuid[])`;
    return reach === 'workspace' ? some(places, records) : records;
  }

  private async grantOne(
    transaction: Transaction,
    input: NewResourceGrant,
    place: string,
  ): Promise<GrantedResourcePermission> {
    const wanted = completed(input, place);
    const { row, ...outcome } = await this.changes.grant(transaction, wanted, place);
    return { ok: true, grant: withPrincipal(row), ...outcome, error: null };
  }
}

/** @throws Problem 400 for missing or conflicting fields. */
function completed(input: NewResourceGrant, place: string): WantedGrant {
  const { object, objectId = null, workspaceId = null, principal, level = 'view', effect = 'allow' } = input;
  const missing = (field: string) => ({
    pointer: `${place}/${field}`,
    code: 'required',
    detail: 'The field is required.',
  });
  const violations = [
    ...(object === undefined ? [missing('object')] : []),
    ...(principal === undefined ? [missing('principal')] : []),
    ...(objectId === null && workspaceId === null ? [missing('objectId')] : []),
  ];
  if (object === undefined || principal === undefined || violations.length > 0) throw Problem.validation(violations);
  const { expiresAt = null, reason = null } = input;
  const { type: principalType, id: principalId } = principal;
  return { object, objectId, workspaceId, principalType, principalId, level, effect, expiresAt, reason };
}

/** @throws Problem 400 for a revocation that does not identify one exception. */
function keyOf({ object, objectId = null, workspaceId = null, principalType, principalId }: Revocation): GrantKey {
  const named = [object, principalType, principalId].every((value) => value !== undefined);
  if (!named || (objectId === null) === (workspaceId === null))
    throw Problem.validation([
      {
        parameter: 'id',
        code: 'required',
        detail: 'Specify the id, or object, objectId or workspaceId, principalType and principalId.',
      },
    ]);
  return { object: object!, objectId, workspaceId, principalType: principalType!, principalId: principalId! };
}

/** The filter for exceptions of one member. */
function ofMember(membershipId: unknown): Record<string, unknown> {
  return { principalType: 'membership', principalId: membershipId };
}
