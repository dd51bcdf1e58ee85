import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { type OauthGrant, oauthGrants } from './grant.js';
import { type GrantState, GrantsRepository } from './grants.repository.js';

/** Grants to partners. Each change writes its audit entry and event. */
@Injectable()
export class Grants {
  readonly objects: GovernedObjects<OauthGrant>;

  constructor(
    kit: ResourceKit,
    readonly rows: GrantsRepository,
  ) {
    this.objects = new GovernedObjects(oauthGrants, kit, {}, rows);
  }

  /** Revokes a locked grant and all its tokens with immediate effect. */
  end(transaction: Transaction, before: OauthGrant, reason: string | null = null): OauthGrant {
    const revokedAt = this.objects.now();
    const after = this.objects.change(transaction, before, { revokedAt }, 'revoked', { reason });
    transaction.write(this.rows.end([before.id], revokedAt));
    return after;
  }

  /** Revokes all grants of a member. @returns their number. */
  async endAll(transaction: Transaction, membershipId: string): Promise<number> {
    const open = await this.rows.lockAll(
      transaction,
      (add) => `t.membership_id = ${add(membershipId)} and t.revoked_at is null`,
    );
    for (const grant of open) this.end(transaction, grant);
    return open.length;
  }

  /** Grants in responses of the API. */
  async show(grants: readonly OauthGrant[]): Promise<ShownObject<OauthGrant>[]> {
    if (grants.length === 0) return [];
    const now = this.objects.now();
    const states = new Map((await this.rows.states(grants.map(({ id }) => id))).map((each) => [each.id, each]));
    return grants.map((grant) => {
      const state = states.get(grant.id)!;
      const status = statusOf(grant, state, now);
      const ends = status === 'active' || status === 'suspended';
      const { lastUsedAt } = state;
      return { ...this.objects.view(grant), status, lastUsedAt, expiresAt: ends ? state.expiresAt : null };
    });
  }
}

function statusOf({ revokedAt }: OauthGrant, { suspended, expiresAt }: GrantState, now: string): OauthGrant['status'] {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt === null || expiresAt <= now) return 'expired';
  return suspended ? 'suspended' : 'active';
}
