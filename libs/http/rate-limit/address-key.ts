import ipaddr from 'ipaddr.js';
import { unmapped, writtenAddress } from '#libs/kernel/network.js';

/** Requests without a credential per address and minute. */
export const UNAUTHENTICATED_PER_MINUTE = 60;

/** Failed authentications per address and minute. */
export const FAILED_AUTHENTICATIONS_PER_MINUTE = 20;

/** Browser sign-in requests per address and minute. A whole office can share one address. */
export const SIGN_IN_STEPS_PER_MINUTE = 60;

/** Slug checks per address and minute. */
export const SLUGS_PER_MINUTE = 60;

/** Requests for public documents, such as the API reference, per address and minute. */
export const DOCUMENTS_PER_MINUTE = 120;

/**
 * The key for limits per address. An IPv4 address is unchanged (also if written as an IPv4-mapped IPv6 address). An
 * IPv6 address is reduced to its /64 network, because a subscriber gets at least that. Anything else is `unknown`.
 */
export function addressKey(ip: string): string {
  const written = writtenAddress(ip.replace(/%.*$/, ''));
  if (written === null) return 'unknown';
  const address = unmapped(written);
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
