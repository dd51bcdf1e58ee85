import { Injectable } from '@nestjs/common';
import { auditStatement } from '#libs/audit/audit-entry.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import {
  beginAgain,
  hurryStatement,
  type LockedDelivery,
  type LockedEndpoint,
  lockDeliveries,
  lockEndpoints,
  paceStatement,
  skipStatements,
} from '#libs/webhooks/delivery-moves.js';
import { moveOn } from '#libs/webhooks/leases/ordering.js';
import { MOVES } from './delivery-actions.js';
import { type DeliverySelection, selectionStatements } from './delivery-selection.js';
import { DELIVERY_TYPE } from '#libs/webhooks/delivery-status.js';

export type { DeliverySelection };

/** Result of a bulk request. */
export interface BulkOutcome {
  /** Number of selected deliveries in a state that allows the action. */
  matched: number;
  /** Number of deliveries that were changed, or would be in a dry run. */
  affected: number;
}

interface BulkOptions {
  limit: number;
  reason: string | null;
  dryRun: boolean;
}

interface Chosen {
  id: string;
  endpointId: string;
}

/** Changes many deliveries at once, oldest first. Leased deliveries are skipped. */
@Injectable()
export class DeliveryBulkService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Restarts deliveries, one per millisecond, with lower priority than first attempts. */
  replay(selection: DeliverySelection, options: BulkOptions): Promise<BulkOutcome> {
    return this.run('outbox.bulk_replayed', selection, MOVES.replay, options, async (transaction, chosen) => {
      const { id: tenantId } = currentTenant();
      const endpoints = await lockEndpoints(transaction, tenantId, endpointsOf(chosen));
      const locked = await lockDeliveries(transaction, tenantId, idsOf(chosen));
      const able = locked.filter(
        ({ endpointId, status }) =>
          !endpoints.get(endpointId)!.deleted && (MOVES.replay as readonly string[]).includes(status),
      );
      const moved = able.map(({ id, endpointId }) => ({ id, enabled: endpoints.get(endpointId)!.enabled }));
      for (const each of beginAgain(tenantId, moved, 'replay')) transaction.write(each);
      transaction.write(paceStatement(tenantId, idsOf(moved), null, 0));
      moveOnBehind(transaction, able, endpoints);
      return moved.length;
    });
  }

  /** Skips deliveries. */
  skip(selection: DeliverySelection, options: BulkOptions & { reason: string }): Promise<BulkOutcome> {
    return this.run('outbox.bulk_skipped', selection, MOVES.skip, options, async (transaction, chosen) => {
      const { id: tenantId } = currentTenant();
      const endpoints = await lockEndpoints(transaction, tenantId, endpointsOf(chosen));
      const locked = await lockDeliveries(transaction, tenantId, idsOf(chosen));
      const able = locked.filter(({ status }) => (MOVES.skip as readonly string[]).includes(status));
      for (const each of skipStatements(tenantId, idsOf(able), options.reason)) transaction.write(each);
      moveOnBehind(transaction, able, endpoints);
      return able.length;
    });
  }

  /** Makes the next attempts of waiting deliveries due now. */
  dispatchNow(selection: DeliverySelection, options: BulkOptions): Promise<BulkOutcome> {
    return this.run('outbox.dispatched', selection, ['pending', 'retrying'], options, async (transaction, chosen) => {
      const hurried = await transaction.query(hurryStatement(currentTenant().id, idsOf(chosen)));
      return hurried.length;
    });
  }

  private run(
    action: 'outbox.bulk_replayed' | 'outbox.bulk_skipped' | 'outbox.dispatched',
    selection: DeliverySelection,
    from: Parameters<typeof selectionStatements>[2],
    { limit, reason, dryRun }: BulkOptions,
    move: (transaction: Transaction, chosen: Chosen[]) => Promise<number>,
  ): Promise<BulkOutcome> {
    const kind = { limit, waiting: action === 'outbox.dispatched', reachable: action === 'outbox.bulk_replayed' };
    const { count, choose } = selectionStatements(currentTenant().id, selection, from, kind);
    return this.database.transaction(async (transaction) => {
      const [counted] = await transaction.query<{ matched: number }>(count);
      const { matched } = counted!;
      if (dryRun) return { matched, affected: Math.min(matched, limit) };
      const affected = await move(transaction, await transaction.query<Chosen>(choose));
      const target = { type: DELIVERY_TYPE, id: null, name: null };
      const changes = { selection: { from: null, to: selection }, affected: { from: null, to: affected } };
      const fact = { action, target, outcome: 'success', riskLevel: 'medium', reason, changes } as const;
      transaction.write(auditStatement(currentScope(), fact, this.clock.now().toISOString()));
      return { matched, affected };
    });
  }
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);
const endpointsOf = (rows: readonly Chosen[]): string[] => rows.map(({ endpointId }) => endpointId);

/** In ordered lanes, the other deliveries of the same resource wait for the first one. */
function moveOnBehind(
  transaction: Transaction,
  moved: readonly LockedDelivery[],
  endpoints: ReadonlyMap<string, LockedEndpoint>,
): void {
  const { id: tenantId } = currentTenant();
  const ordered = moved.filter(({ endpointId }) => endpoints.get(endpointId)!.ordered);
  if (ordered.length > 0) transaction.write(moveOn(ordered.map((each) => ({ ...each, tenantId }))));
}
