import { isIP } from 'node:net';
import { canonicalAddress, isAllowed, isDenied, isInside, type OperatorNetworks } from './address.js';
import { within } from './deadline.js';
import { ResolveError } from './resolver.js';
import type { ResolvedAddress, Resolver } from './resolver.js';

/** Maximum wait for the resolver, ms. */
export const DNS_TIMEOUT_MS = 3_000;

/**
 * Result of checking a host: its addresses, if all are allowed, or why there are none.
 *
 * `inside` means that every address is in a network that the operator allows, `denied` that one is in a network that
 * the operator denies. `not_found` and `unavailable` are as in {@link ResolveError}. A rejected address is not named.
 */
export type Vetting =
  | { outcome: 'vetted'; addresses: readonly ResolvedAddress[]; inside: boolean }
  | { outcome: 'blocked' | 'denied' | 'not_found' | 'unavailable' };

/** Dependencies of the check. */
export interface VettingOptions extends OperatorNetworks {
  resolver: Resolver;
  dnsTimeoutMs?: number;
}

const LOOPBACK: readonly ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Whether the resolver is used for the host: not for an IP literal, and never for `localhost`. */
export function isResolved(host: string): boolean {
  return host !== 'localhost' && isIP(host) === 0;
}

/**
 * Resolves a host and checks every address: a single address that is not allowed rejects the whole host.
 *
 * `host` is a name or an IP literal without brackets. `localhost` is never looked up in DNS: it means the loopback
 * addresses that the operator allows and does not deny.
 */
export async function vetHost(host: string, options: VettingOptions): Promise<Vetting> {
  const { allowedCidrs, deniedCidrs } = options;
  if (host === 'localhost') {
    const addresses = LOOPBACK.filter(({ address }) => isAllowed(address, options));
    return addresses.length > 0 ? { outcome: 'vetted', addresses, inside: true } : { outcome: 'blocked' };
  }
  let answers: readonly ResolvedAddress[];
  const literal = isIP(host);
  if (literal !== 0) {
    answers = [{ address: host, family: literal === 4 ? 4 : 6 }];
  } else {
    try {
      answers = await within(options.dnsTimeoutMs ?? DNS_TIMEOUT_MS, options.resolver.resolve(host));
    } catch (error) {
      return { outcome: error instanceof ResolveError ? error.reason : 'unavailable' };
    }
  }
  if (answers.length === 0) return { outcome: 'not_found' };
  if (answers.some(({ address }) => isDenied(address, deniedCidrs))) return { outcome: 'denied' };
  if (!answers.every(({ address }) => isAllowed(address, options))) return { outcome: 'blocked' };
  return {
    outcome: 'vetted',
    addresses: answers.map(({ address }) => ({
      address: canonicalAddress(address),
      family: isIP(address) === 4 ? 4 : 6,
    })),
    inside: answers.every(({ address }) => isInside(address, allowedCidrs)),
  };
}
