// A fake model provider with chat completions that records its charges.
import { once } from 'node:events';
import { createServer } from 'node:http';

/** Tokens of every response. */
export const USAGE = { prompt_tokens: 500, completion_tokens: 50, total_tokens: 550 };

/**
 * Listens on the loopback interface. A request with a known key gets the stored response without charge; one without a
 * key is charged each time.
 */
export class ModelProvider {
  /** Number of charges per prompt. */
  charged = new Map();
  /** Total number of requests. */
  requests = 0;
  /** Pending requests. */
  open = 0;
  #server;
  #answers = new Map();
  #answerMs;

  /** @param answerMs ms from the charge to the response */
  static async start(answerMs) {
    const provider = new ModelProvider();
    provider.#answerMs = answerMs;
    provider.#server = createServer((request, response) => void provider.#receive(request, response));
    provider.#server.listen(0, '127.0.0.1');
    await once(provider.#server, 'listening');
    return provider;
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}/v1`;
  }

  async close() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #receive(request, response) {
    let body = '';
    try {
      for await (const chunk of request) body += chunk;
    } catch {
      return; // the worker was killed while sending
    }
    this.requests += 1;
    const key = request.headers['idempotency-key'];
    let answer = key === undefined ? undefined : this.#answers.get(key);
    if (!answer) {
      // The load marks each prompt to distinguish the jobs.
      const mark = /job-\d+-/.exec(body)?.[0] ?? 'unknown';
      this.charged.set(mark, (this.charged.get(mark) ?? 0) + 1);
      answer = JSON.stringify({
        id: `answer-${this.requests}`,
        object: 'chat.completion',
        created: 0,
        model: 'any',
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: `Done: ${mark}` } }],
        usage: USAGE,
      });
      if (key !== undefined) this.#answers.set(key, answer);
    }
    this.open += 1;
    setTimeout(() => {
      this.open -= 1;
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    }, this.#answerMs);
  }
}
