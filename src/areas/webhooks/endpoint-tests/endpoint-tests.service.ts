import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { Problem } from '#libs/kernel/problem.js';
import { EventCatalogue, type EventType } from '#libs/outbox/event-catalogue.js';
import { attemptError } from '#libs/webhooks/sending/delivery-request.js';
import type { TestWebhookEndpoint, WebhookTestResult } from '../endpoints/endpoint-actions.dto.js';
import { EndpointProbe, probeAnswer } from './endpoint-probe.js';
import { EndpointRecords } from '../endpoints/endpoint-records.js';
import { PING } from '../endpoints/endpoint-messages.js';
import { ENDPOINT_TYPE } from '../endpoints/endpoint.lifecycle.js';

/** Tests of webhook endpoints. */
@Injectable()
export class EndpointTestsService {
  constructor(
    private readonly records: EndpointRecords,
    private readonly probe: EndpointProbe,
    private readonly events: EventCatalogue,
    private readonly database: Database,
  ) {}

  /**
   * Sends the example of an event type once, in any state of the endpoint, and returns the result. It is not a
   * delivery: nothing is retried, and only the audit log and the log of attempts record it.
   * @throws Problem 404, 400 for an unknown event type.
   */
  send(id: string, input: TestWebhookEndpoint): Promise<WebhookTestResult> {
    return this.sendAs(`${ENDPOINT_TYPE}.tested`, id, input, (result) => result);
  }

  /** Like {@link send}, with another action in the audit log and another response. */
  async sendAs<T>(
    action: string,
    id: string,
    { eventType = PING }: TestWebhookEndpoint,
    answer: (result: WebhookTestResult) => T,
  ): Promise<T> {
    const endpoint = await this.records.find(id);
    const data = eventType === PING ? { endpointId: id, message: 'ping' } : null;
    const probe = await this.probe.send(endpoint, this.known(eventType), data);
    const error = attemptError(probe.result);
    return this.database.transaction(async (transaction) => {
      transaction.write(this.probe.logged(endpoint, probe, error));
      transaction.write(this.probe.audited(endpoint, action, error));
      return answer({ ...probeAnswer(probe, error), delivered: error === null });
    });
  }

  private known(eventType: string): EventType {
    if (this.events.has(eventType)) return this.events.newest(eventType);
    throw Problem.validation([
      { pointer: '/eventType', code: 'unknown_event_type', detail: 'There is no such event type.' },
    ]);
  }
}
