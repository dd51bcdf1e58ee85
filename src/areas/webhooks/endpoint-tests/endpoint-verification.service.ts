import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { Clock } from '#libs/kernel/clock.js';
import type { OutboundResult } from '#libs/outbound/outbound-result.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { checkPrecondition } from '#libs/resource/records/precondition.js';
import { attemptError } from '#libs/webhooks/sending/delivery-request.js';
import type { WebhookVerificationResult } from '../endpoints/endpoint-actions.dto.js';
import { EndpointProbe, probeAnswer } from './endpoint-probe.js';
import { EndpointRecords } from '../endpoints/endpoint-records.js';
import type { Endpoint } from '../endpoints/endpoint.js';
import { VERIFICATION } from '../endpoints/endpoint-messages.js';
import { ENDPOINT_TYPE } from '../endpoints/endpoint.lifecycle.js';

const CHALLENGE_BYTES = 32;

/** Verifies that endpoints belong to their creators, with a challenge that the receiver must return. */
@Injectable()
export class EndpointVerificationService {
  constructor(
    private readonly records: EndpointRecords,
    private readonly probe: EndpointProbe,
    private readonly events: EventCatalogue,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends a challenge once, in any state of the endpoint. A 2xx response with the challenge verifies the endpoint, and
   * enables it if it was only waiting for verification.
   * @throws Problem 404, 412.
   */
  async verify(id: string): Promise<WebhookVerificationResult> {
    const endpoint = await this.records.find(id);
    checkPrecondition(endpoint.version);
    const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
    const data = { endpointId: id, challenge };
    const probe = await this.probe.send(endpoint, this.events.newest(VERIFICATION), data);
    return this.database.transaction(async (transaction) => {
      const row = await this.records.lock(transaction, id);
      const error = this.verificationError(probe.result, challenge, row.url === endpoint.url);
      transaction.write(this.probe.logged(endpoint, probe, error));
      if (error === null) await this.records.change(transaction, row, this.verified(row), 'verified');
      else transaction.write(this.probe.audited(endpoint, `${ENDPOINT_TYPE}.verification_failed`, error));
      return { ...probeAnswer(probe, error), verified: error === null };
    });
  }

  private verified({ disabledReason }: Endpoint): Partial<Endpoint> {
    const verifiedAt = this.clock.now().toISOString();
    return disabledReason === 'unverified' ? { verifiedAt, status: 'enabled', disabledReason: null } : { verifiedAt };
  }

  /** Why the endpoint is not verified: besides the errors of any attempt, a wrong response or a changed URL. */
  private verificationError(result: OutboundResult, challenge: string, isSameUrl: boolean): string | null {
    const error = attemptError(result);
    if (error !== null) return error;
    if (!repeats(result.bodyExcerpt, challenge)) return 'challenge_mismatch';
    return isSameUrl ? null : 'url_changed';
  }
}

/** Whether a response contains the challenge, as plain text or as the member `challenge` of an object. */
function repeats(body: string, challenge: string): boolean {
  if (body.trim() === challenge) return true;
  try {
    const answer = JSON.parse(body) as { challenge?: unknown } | null;
    return answer?.challenge === challenge;
  } catch {
    return false;
  }
}
