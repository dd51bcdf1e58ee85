import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Requests without a credential that one address may send in a minute. */
export const UNAUTHENTICATED_PER_MINUTE = 60;

/** Failed authentications that one address may make in a minute. */
export const FAILED_AUTHENTICATIONS_PER_MINUTE = 20;

/** Browser sign-in requests per address and minute. A whole office can share one address. */
export const SIGN_IN_STEPS_PER_MINUTE = 60;

/** Slug checks per address and minute. */
export const SLUGS_PER_MINUTE = 60;

/** Requests for public documents, such as the API reference, that one address may send in a minute. */
export const DOCUMENTS_PER_MINUTE = 120;

/**
 * The key for limits per address: an IPv4 address unchanged (also if written as an IPv4-mapped IPv6 one), an IPv6
 * address by its /64 network, because a subscriber gets at least that. Anything else gives `unknown`.
 */
export function addressKey(ip: string | undefined): string {
  if (ip === undefined || isIP(ip) === 0) return 'unknown';
  const address = ipaddr.process(ip);
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
