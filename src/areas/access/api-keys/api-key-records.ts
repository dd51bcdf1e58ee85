import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { KeyFigures } from '#libs/request-counts/key-figures.js';
import { lastDays } from '#libs/kernel/day-span.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { type ApiKey, apiKeys } from './api-key.js';
import { ApiKeysRepository } from './api-keys.repository.js';

const ACTIVE = `select id from data.memberships
  where tenant_id = $1 and id = any($2::uuid[]) and status = 'active' and deleted_at is null`;

/** API keys as rows: finding, showing and changing them, each change with its audit entry and event. */
@Injectable()
export class ApiKeyRecords {
  readonly objects: GovernedObjects<ApiKey>;

  constructor(
    kit: ResourceKit,
    readonly rows: ApiKeysRepository,
    private readonly database: Database,
    private readonly figures: KeyFigures,
  ) {
    this.objects = new GovernedObjects(apiKeys, kit, this, rows);
  }

  /** Changes a key, and what its secrets are good for. */
  change(transaction: Transaction, before: ApiKey, changes: Partial<ApiKey>, event?: string): ApiKey {
    const after = this.objects.change(transaction, before, changes, event);
    if (after !== before) transaction.write(this.rows.spread(after, after.updatedAt));
    if ('readsPerMinute' in changes || 'writesPerMinute' in changes) transaction.write(this.rows.limit(after));
    return after;
  }

  /** Revokes a key: the next request with it is refused. */
  revoke(transaction: Transaction, before: ApiKey, changes: Partial<ApiKey> = {}, event = 'revoked'): ApiKey {
    const revokedAt = before.revokedAt ?? this.objects.now();
    transaction.write(this.rows.revoke(before.id, revokedAt));
    return this.objects.change(transaction, before, { ...changes, revokedAt }, event);
  }

  /** Keys as the API shows them. */
  async show(keys: readonly ApiKey[]): Promise<ShownObject<ApiKey>[]> {
    if (keys.length === 0) return [];
    const { id: tenantId } = currentTenant();
    const now = this.objects.now();
    const owners = keys.flatMap(({ memberId }) => memberId ?? []);
    const active = await this.database.read<{ id: string }>(statement(ACTIVE, [tenantId, owners]));
    const counted = await this.figures.byKey(
      lastDays(30, now),
      keys.map(({ id }) => id),
      keys.length,
    );
    const actives = new Set(active.map(({ id }) => id));
    const requests = new Map(counted.map(({ keyId, reads, writes }) => [keyId, reads + writes]));
    return keys.map((key) => ({
      ...this.objects.view(key),
      status: statusOf(key, key.memberId === null || actives.has(key.memberId), now),
      previousExpiresAt: isOver(key, now) || endedBefore(key.previousExpiresAt, now) ? null : key.previousExpiresAt,
      requests30d: requests.get(key.id) ?? 0,
    }));
  }
}

/** Relations of a key other than its owner. */
export function isOver({ revokedAt, expiresAt }: ApiKey, now: string): 'revoked' | 'expired' | null {
  if (revokedAt !== null) return 'revoked';
  return endedBefore(expiresAt, now) ? 'expired' : null;
}

function statusOf(key: ApiKey, hasActiveOwner: boolean, now: string): ApiKey['status'] {
  return isOver(key, now) ?? (hasActiveOwner ? 'active' : 'suspended');
}

function endedBefore(at: string | null, now: string): boolean {
  return at !== null && at <= now;
}
