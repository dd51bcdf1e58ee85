import { type Batch, CredentialFault, type Destination, type Send, USER_AGENT } from './destination.js';

const TOKEN = /^[\x21-\x7e]+$/;

/** A Splunk HTTP Event Collector. */
export class SplunkDestination implements Destination {
  constructor(
    private readonly url: string,
    private readonly send_: Send,
    private readonly token: string,
  ) {
    if (!TOKEN.test(token)) throw new CredentialFault('It must be a token of printable characters.');
  }

  send({ items }: Batch) {
    const body = items
      .map(({ occurredAt, json }) => `{"time":${Date.parse(occurredAt) / 1_000},"sourcetype":"_json","event":${json}}`)
      .join('\n');
    const headers = {
      authorization: `Splunk ${this.token}`,
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
    };
    return this.send_({ method: 'POST', url: this.url, headers, body });
  }
}
