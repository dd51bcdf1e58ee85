import { LRUCache } from 'lru-cache';
import { vetHost } from './host-vetting.js';
import type { Vetting, VettingOptions } from './host-vetting.js';

/** How long an answer that passed the check may be used, ms. */
export const VETTING_MAX_AGE_MS = 5_000;

const MAX_HOSTS = 2_000;

type Vetted = Extract<Vetting, { outcome: 'vetted' }>;

/**
 * Caches for a few seconds which addresses of a host passed the check, so that a busy receiver does not need a DNS
 * query per delivery, and concurrent requests share one query.
 *
 * Only good answers are remembered. A connection is made to a remembered address and never to a name, so a name that
 * changes its mind in between (DNS rebinding) gains nothing.
 */
export class VettedHosts {
  readonly #vetted = new LRUCache<string, { vetting: Vetted; atMs: number }>({ max: MAX_HOSTS });
  readonly #running = new Map<string, Promise<Vetting>>();

  constructor(
    private readonly options: VettingOptions,
    private readonly nowMs: () => number,
    private readonly maxAgeMs: number = VETTING_MAX_AGE_MS,
  ) {}

  /** The remembered answer, or null when there is none that is young enough. */
  recall(host: string): Vetted | null {
    const known = this.#vetted.get(host);
    if (known === undefined) return null;
    if (this.nowMs() - known.atMs < this.maxAgeMs) return known.vetting;
    this.#vetted.delete(host);
    return null;
  }

  /** Resolves and checks the host now, or joins the check that is running. */
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
