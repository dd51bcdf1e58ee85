import { addressOf, type AllowedAddresses } from '#libs/kernel/network.js';

/** An address with what proxies write around it: brackets, a port, quotes, a zone. */
const WRAPPED = /^"?(?:\[([^\]]*)\](?::\d{1,5})?|([^:]*):\d{1,5}|(.*?))"?$/;

/** The address in one hop of `X-Forwarded-For`; null if there is none. */
function hopAddress(text: string): string | null {
  const [, bracketed, withPort, bare = ''] = WRAPPED.exec(text.trim()) ?? [];
  return addressOf((bracketed ?? withPort ?? bare).replace(/%.*$/, ''));
}

/**
 * The address of the client: the first hop, seen from here, that is not a trusted proxy. What is no address says
 * nothing: then it is the address of the trusted proxy that passed it on.
 */
export function clientAddress(peer: string, forwardedFor: string, trusted: AllowedAddresses): string {
  let nearest = hopAddress(peer) ?? peer;
  for (const hop of forwardedFor === '' ? [] : forwardedFor.split(',').reverse()) {
    if (!trusted.has(nearest)) break;
    const address = hopAddress(hop);
    if (address === null) break;
    nearest = address;
  }
  return nearest;
}
