import { Injectable } from '@nestjs/common';
import { AuditTrail } from '#libs/audit/audit-trail.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { type AuditStream, auditStreams } from './audit-stream.js';
import type { AuditStreamTest } from './audit-stream.requests.js';
import { AuditStreamsService } from './audit-streams.service.js';
import { type Batch, CREDENTIAL_ERROR, CredentialFault, errorOf } from './destinations/destination.js';
import { Destinations } from './destinations/destinations.service.js';

/** Tries destinations without sending entries. */
@Injectable()
export class AuditStreamTests {
  constructor(
    private readonly streams: AuditStreamsService,
    private readonly destinations: Destinations,
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** Sends a test in any status of the stream, and records it. @throws Problem 404. */
  async run(id: string): Promise<AuditStreamTest> {
    const stream = await this.streams.objects.read(id);
    const outcome = await this.attempt(stream);
    await this.trail.record({
      action: `${auditStreams.type}.tested`,
      target: { type: auditStreams.type, id, name: stream.name },
      outcome: outcome.delivered ? 'success' : 'failed',
      riskLevel: 'low',
      reason: outcome.error,
    });
    return outcome;
  }

  private async attempt(stream: AuditStream): Promise<AuditStreamTest> {
    try {
      const result = await (await this.destinations.open(stream)).send(this.batchOf(stream));
      const error = errorOf(result);
      const { httpStatus, timings } = result;
      return { delivered: error === null, httpStatus, error, durationMs: timings.totalMs };
    } catch (error) {
      if (!(error instanceof CredentialFault)) throw error;
      return { delivered: false, httpStatus: null, error: CREDENTIAL_ERROR, durationMs: 0 };
    }
  }

  private batchOf({ id: streamId }: AuditStream): Batch {
    const occurredAt = this.clock.now().toISOString();
    const json = JSON.stringify({ object: 'audit.stream_test', streamId, occurredAt });
    return { id: `test.${uuidv7()}`, key: 'test', items: [{ occurredAt, json }] };
  }
}
