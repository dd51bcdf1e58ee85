import { Resolver as DnsResolver } from 'node:dns/promises';
import { within } from './deadline.js';

/** One address of a host. */
export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/**
 * Why a name has no addresses: `not_found` if DNS says so (no such name, or no address records), `unavailable` if DNS
 * did not respond properly (timeout, server failure).
 */
export class ResolveError extends Error {
  constructor(
    readonly reason: 'not_found' | 'unavailable',
    options?: ErrorOptions,
  ) {
    super(`host name resolution: ${reason}`, options);
    this.name = 'ResolveError';
  }
}

/** The only way to resolve host names for outbound calls. Injected, which lets tests provide the results. */
export abstract class Resolver {
  /**
   * All addresses of the name, in order of preference; at least one.
   * @throws ResolveError
   */
  abstract resolve(host: string): Promise<ResolvedAddress[]>;
}

const FAMILY_TIMEOUT_MS = 2_500;
const SAYS_NONE = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Queries the system's name servers for A and AAAA records.
 *
 * It does not use `dns.lookup`, because a few names with unreachable name servers would block its four threads for all
 * tenants. So the hosts file and search domains are not used either: a receiver's name must be in DNS. If only one of
 * the two queries gets a response, that response is used.
 */
export class SystemResolver extends Resolver {
  readonly #dns = new DnsResolver({ timeout: 1_000, tries: 2 });

  /** `servers` (`127.0.0.1:5353`) are used instead of the system's. */
  constructor(
    servers?: readonly string[],
    private readonly familyTimeoutMs: number = FAMILY_TIMEOUT_MS,
  ) {
    super();
    if (servers !== undefined) this.#dns.setServers(servers);
  }

  async resolve(host: string): Promise<ResolvedAddress[]> {
    const [v4, v6] = await Promise.allSettled([
      within(this.familyTimeoutMs, this.#dns.resolve4(host)),
      within(this.familyTimeoutMs, this.#dns.resolve6(host)),
    ]);
    const found: ResolvedAddress[] = [
      ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 as const })) : []),
      ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 as const })) : []),
    ];
    if (found.length > 0) return found;
    const codes = [v4, v6].map((answer) => (answer.status === 'rejected' ? codeOf(answer.reason) : 'ENODATA'));
    const none = codes.includes('ENOTFOUND') || codes.every((code) => SAYS_NONE.has(code));
    throw new ResolveError(none ? 'not_found' : 'unavailable', {
      cause: v4.status === 'rejected' ? v4.reason : undefined,
    });
  }
}

function codeOf(error: unknown): string {
  const isCoded = typeof error === 'object' && error !== null && 'code' in error;
  return isCoded && typeof error.code === 'string' ? error.code : '';
}
