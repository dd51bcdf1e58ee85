import { LRUCache } from 'lru-cache';
import { vetHost } from './host-vetting.js';
import type { Vetting, VettingOptions } from './host-vetting.js';

/** Maximum age of a cached, vetted result, ms. */
export const VETTING_MAX_AGE_MS = 5_000;

const MAX_HOSTS = 2_000;

type Vetted = Extract<Vetting, { outcome: 'vetted' }>;

/**
 * Caches the vetted addresses of hosts for a few seconds: a busy receiver does not need a DNS query per delivery, and
 * concurrent requests share one query.
 *
 * Only allowed results are cached. Connections are made to cached addresses, never to a name, so changing the DNS
 * record in between (DNS rebinding) has no effect.
 */
export class VettedHosts {
  readonly #vetted = new LRUCache<string, { vetting: Vetted; atMs: number }>({ max: MAX_HOSTS });
  readonly #running = new Map<string, Promise<Vetting>>();

  constructor(
    private readonly options: VettingOptions,
    private readonly nowMs: () => number,
    private readonly maxAgeMs: number = VETTING_MAX_AGE_MS,
  ) {}

  /** The cached result; null if there is none, or if it has expired. */
  recall(host: string): Vetted | null {
    const known = this.#vetted.get(host);
    if (known === undefined) return null;
    if (this.nowMs() - known.atMs < this.maxAgeMs) return known.vetting;
    this.#vetted.delete(host);
    return null;
  }

  /** Resolves and checks the host now, or joins a running check. */
  vet(host: string): Promise<Vetting> {
    const running = this.#running.get(host);
    if (running !== undefined) return running;
    const vetting = vetHost(host, this.options)
      .then((result) => {
        if (result.outcome === 'vetted') this.#vetted.set(host, { vetting: result, atMs: this.nowMs() });
        return result;
      })
      .finally(() => this.#running.delete(host));
    this.#running.set(host, vetting);
    return vetting;
  }
}
