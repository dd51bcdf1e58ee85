import { signDelivery } from '#libs/webhooks/sending/signature.js';
import { type Batch, CredentialFault, type Destination, linesOf, type Send, USER_AGENT } from './destination.js';

/** A receiver of signed requests with one entry per line. During the grace of a rotated secret, both sign. */
export class HttpsDestination implements Destination {
  constructor(
    private readonly url: string,
    private readonly send_: Send,
    private readonly secrets: readonly string[],
    private readonly nowMs: () => number,
  ) {
    for (const secret of secrets) sign('', '', 0, secret, null);
  }

  send(batch: Batch) {
    const body = linesOf(batch);
    const [secret, previous = null] = this.secrets;
    const signature = sign(body, batch.id, Math.floor(this.nowMs() / 1_000), secret!, previous);
    const headers = { ...signature, 'content-type': 'application/x-ndjson', 'user-agent': USER_AGENT };
    return this.send_({ method: 'POST', url: this.url, headers, body });
  }
}

function sign(body: string, eventId: string, timestampSeconds: number, secret: string, previousSecret: string | null) {
  try {
    return signDelivery({ body, eventId, timestampSeconds, secret, previousSecret });
  } catch {
    throw new CredentialFault('It must be a signing secret: `whsec_` and at least 24 bytes in base64.');
  }
}
