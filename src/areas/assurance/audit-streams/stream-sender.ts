import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import type { Statement } from '#libs/database/statement.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { inSpan } from '#libs/tenancy/in-span.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import { type AuditStream, FAILING_AFTER } from './audit-stream.js';
import { AuditStreamsRepository } from './audit-streams.repository.js';
import { AuditStreamsService } from './audit-streams.service.js';
import { CREDENTIAL_ERROR, CredentialFault, errorOf } from './destinations/destination.js';
import { Destinations } from './destinations/destinations.service.js';
import { type NextBatch, StreamBatches } from './stream-batches.js';
import { type Claim, StreamClaims } from './stream-claims.js';

/** Time after which other streams get a turn. */
const TURN_MS = 20_000;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 5 * 60_000;

/**
 * Sends the audit log to the destination of a stream, batch by batch. The cursor moves only after a 2xx response, so a
 * crash or a failure repeats the last batch and skips nothing.
 */
@Injectable()
export class StreamSender {
  constructor(
    private readonly tenants: TenantFactsReader,
    private readonly repository: AuditStreamsRepository,
    private readonly streams: AuditStreamsService,
    private readonly destinations: Destinations,
    private readonly batches: StreamBatches,
    private readonly claims: StreamClaims,
    private readonly database: Database,
  ) {}

  /** Sends until everything is delivered, an attempt fails, the turn is over or `signal` aborts. */
  async run(claim: Claim, signal: AbortSignal): Promise<void> {
    const tenant = await this.tenants.find(claim.tenantId);
    if (tenant) await runAsSystem(tenant, 'audit streaming', uuidv7(), () => this.turn(claim, signal));
  }

  private async turn(claim: Claim, signal: AbortSignal): Promise<void> {
    const stream = await this.repository.find(claim.streamId);
    if (!stream) return;
    const position = { ...claim };
    const attributes = { 'platform.tenant.id': claim.tenantId, 'platform.stream.id': claim.streamId };
    for (const endMs = performance.now() + TURN_MS; performance.now() < endMs && !signal.aborted;) {
      const batch = await this.batches.after(position);
      if (!batch) break;
      if (!(await this.claims.begin(claim, batch.lastSeq))) return;
      const error = await inSpan('stream audit log', { kind: 'internal', parent: null, attributes }, () =>
        this.attempt(stream, batch, signal),
      );
      if (error !== null) return this.fail(claim, position.failures, error);
      await this.advance(claim, position.failures, batch.lastSeq);
      Object.assign(position, { seq: batch.lastSeq, batchTo: null, failures: 0 });
    }
    await this.claims.release(claim);
  }

  /** Why the batch was not delivered; null if it was. */
  private async attempt(stream: AuditStream, batch: NextBatch, signal: AbortSignal): Promise<string | null> {
    if (batch.items.length === 0) return null;
    try {
      const destination = await this.destinations.open(stream, signal);
      return errorOf(await destination.send(batch));
    } catch (error) {
      if (error instanceof CredentialFault) return CREDENTIAL_ERROR;
      throw error;
    }
  }

  private async advance(claim: Claim, failures: number, seq: number): Promise<void> {
    const delivered = this.claims.delivered(claim, seq);
    if (failures === 0) return void (await this.database.aside([delivered]));
    await this.move(claim, delivered, { from: 'failing', to: 'active', event: 'recovered' });
  }

  private async fail(claim: Claim, failures: number, error: string): Promise<void> {
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS);
    const failed = this.claims.failed(claim, error, pauseMs);
    if (failures + 1 < FAILING_AFTER) return void (await this.database.aside([failed]));
    await this.move(claim, failed, { from: 'active', to: 'failing', event: 'failing' });
  }

  /** Writes the new position and, if the status is `from`, the change of status. */
  private async move(
    { streamId }: Claim,
    position: Statement,
    { from, to, event }: { from: AuditStream['status']; to: AuditStream['status']; event: string },
  ): Promise<void> {
    const { objects } = this.streams;
    await objects.unit(async (transaction) => {
      const row = await this.repository.lock(transaction, streamId);
      if (row?.status === from) objects.change(transaction, row, { status: to }, event);
      transaction.write(position);
    });
  }
}
