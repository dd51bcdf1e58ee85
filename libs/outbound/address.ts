import ipaddr from 'ipaddr.js';
import type { Settings } from '#libs/config/settings.js';
import {
  unmapped,
  unmappedNetwork,
  writtenAddress,
  writtenNetwork,
  type Address,
  type Network,
} from '#libs/kernel/network.js';

/** Whether an address is an ordinary public one. */
export type AddressClass = 'public' | 'blocked';

/** The operator's network rules, each as `10.0.0.0/8`. */
export interface OperatorNetworks {
  /** May be called although not public: `WEBHOOK_ALLOWED_CIDRS`. */
  allowedCidrs: readonly string[];
  /** Never called, public or not, even if allowed: `WEBHOOK_DENIED_CIDRS`. */
  deniedCidrs: readonly string[];
}

/** The operator's networks from the settings. */
export function networksOf(settings: NetworkSettings): OperatorNetworks {
  return { allowedCidrs: settings.WEBHOOK_ALLOWED_CIDRS, deniedCidrs: settings.WEBHOOK_DENIED_CIDRS };
}

/** The settings that {@link networksOf} reads. */
export type NetworkSettings = Pick<Settings, 'WEBHOOK_ALLOWED_CIDRS' | 'WEBHOOK_DENIED_CIDRS'>;

/**
 * IPv4 ranges that no outbound call may reach: all special-purpose ranges, including the globally reachable ones
 * (anycast services, never a receiver), multicast, the reserved block, and one cloud's host agent. `Source:` IANA IPv4
 * Special-Purpose Address Registry, RFC 6890, RFC 5771.
 */
const BLOCKED_IPV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT, also a cloud's metadata service
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // looks public, but is the host agent of virtual machines in Azure
  '169.254.0.0/16', // link-local, metadata services
  '172.16.0.0/12', // private
  '192.0.0.0/24', // IETF protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relay, deprecated
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, limited broadcast
].map((cidr) => ipaddr.IPv4.parseCIDR(cidr));

/**
 * Blocked inside 2000::/3. Everything outside 2000::/3 is blocked without being listed: ::/8 with loopback and the
 * IPv4-compatible form, 64:ff9b:1::/48, 100::/64, SRv6 5f00::/16, fc00::/7, fe80::/10, site-local fec0::/10, ff00::/8.
 * `Source:` IANA IPv6 Special-Purpose Address Registry, IANA IPv6 Global Unicast Address Assignments.
 */
const BLOCKED_IPV6 = [
  '2001::/23', // IETF protocol assignments: Teredo, benchmarking, ORCHID, AMT, anycast services
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, carries an IPv4 address
  '2620:4f:8000::/48', // AS112
  '3ffe::/16', // former 6bone
  '3fff::/20', // documentation
].map((cidr) => ipaddr.IPv6.parseCIDR(cidr));

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/** The parsed address; a mapped or translated one as its IPv4 address. Null if the text is not an address. */
function parseAddress(ip: string): Address | null {
  const written = writtenAddress(ip);
  if (written === null) return null;
  const address = unmapped(written);
  const isTranslated = address instanceof ipaddr.IPv6 && address.match(NAT64);
  return isTranslated ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
}

/**
 * Classifies an address by its numeric value, whatever its notation.
 *
 * IPv4-mapped (::ffff:0:0/96) and NAT64 (64:ff9b::/96) addresses are classified by the IPv4 address that they contain.
 * Text that is not an address in the form of `net.isIP`, or has a zone id, is `blocked`.
 */
export function classifyAddress(ip: string): AddressClass {
  const address = parseAddress(ip);
  if (address === null) return 'blocked';
  if (address instanceof ipaddr.IPv4) return BLOCKED_IPV4.some((range) => address.match(range)) ? 'blocked' : 'public';
  return address.match(GLOBAL_UNICAST) && !BLOCKED_IPV6.some((range) => address.match(range)) ? 'public' : 'blocked';
}

/**
 * Whether the address is in one of the operator's networks (setting `WEBHOOK_ALLOWED_CIDRS`). A mapped or NAT64 address
 * is compared by its IPv4 address, so `::/0` does not allow IPv4.
 */
export function isInside(ip: string, cidrs: readonly string[]): boolean {
  const address = parseAddress(ip);
  return address !== null && cidrs.some((cidr) => isIn(address, writtenNetwork(cidr)!));
}

/**
 * Whether the address is in a network that the operator denies (setting `WEBHOOK_DENIED_CIDRS`), in any notation: a
 * mapped or NAT64 address is compared both by its IPv4 address and as written, and a mapped network such as
 * `::ffff:198.20.0.0/112` also denies the IPv4 network that it contains.
 */
export function isDenied(ip: string, cidrs: readonly string[]): boolean {
  const address = parseAddress(ip);
  if (address === null || cidrs.length === 0) return false;
  const written = writtenAddress(ip)!;
  return cidrs
    .map((cidr) => writtenNetwork(cidr)!)
    .some((network) => isIn(written, network) || isIn(address, unmappedNetwork(network)));
}

/** Whether an outbound call may reach the address: it is public or in an allowed network, and in no denied one. */
export function isAllowed(ip: string, { allowedCidrs, deniedCidrs }: OperatorNetworks): boolean {
  return (classifyAddress(ip) === 'public' || isInside(ip, allowedCidrs)) && !isDenied(ip, deniedCidrs);
}

function isIn(address: Address, [network, bits]: Network): boolean {
  return network.kind() === address.kind() && address.match(network, bits);
}

/** The canonical notation of an address, used to compare the address of a socket with the result of the resolver. */
export function canonicalAddress(ip: string): string {
  const address = writtenAddress(ip);
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : ip;
}
