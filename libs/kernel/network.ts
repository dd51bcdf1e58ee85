import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** An address and the number of its leading bits that name the network. */
export type Network = readonly [base: Address, bits: number];

const V4_MAPPED = ipaddr.IPv6.parseCIDR('::ffff:0:0/96');
const MAPPED_BITS = 96;

/**
 * An IPv6 address with its dotted tail in hex, because ipaddr.js parses the IPv4-compatible `::8.8.8.8` as
 * `::ffff:8.8.8.8`.
 */
function withoutDots(text: string): string {
  return text.replace(/:(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_tail, ...bytes: string[]) => {
    const [a, b, c, d] = bytes.slice(0, 4).map((byte) => Number(byte).toString(16).padStart(2, '0'));
    return `:${a}${b}:${c}${d}`;
  });
}

/** An address as it is written: a mapped IPv4 address remains an IPv6 address. Null for other text, or with a zone. */
export function writtenAddress(text: string): Address | null {
  // isIP is stricter than ipaddr.js, which also accepts 0x7f.1. A zone id would select an interface.
  return isIP(text) === 0 || text.includes('%') ? null : ipaddr.parse(withoutDots(text));
}

/** A network as it is written, `10.0.0.0/8`; a single address is a network of one address. Null for other text. */
export function writtenNetwork(text: string): Network | null {
  const [base = '', bits, rest] = text.split('/');
  const address = writtenAddress(base);
  if (address === null || rest !== undefined) return null;
  const longest = address instanceof ipaddr.IPv4 ? 32 : 128;
  if (bits === undefined) return [address, longest];
  return /^\d{1,3}$/.test(bits) && Number(bits) <= longest ? [address, Number(bits)] : null;
}

/** The address, a mapped one as the IPv4 address that it is. */
export function unmapped(address: Address): Address {
  const isMapped = address instanceof ipaddr.IPv6 && address.match(V4_MAPPED);
  return isMapped ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
}

/** Whether the text is an address that means all addresses of a machine, such as `0.0.0.0` and `::`. These cannot be a target. */
export function isEveryAddress(text: string): boolean {
  const address = writtenAddress(text);
  return address !== null && unmapped(address).range() === 'unspecified';
}

/** The network; one of mapped addresses only as the IPv4 network that it is. */
export function unmappedNetwork([base, bits]: Network): Network {
  const address = bits < MAPPED_BITS ? base : unmapped(base);
  return address === base ? [base, bits] : [address, bits - MAPPED_BITS];
}

function textOf(address: Address): string {
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();
}

/** The one spelling of an address: RFC 5952, a mapped IPv4 address as IPv4. Null if the text is not an address. */
export function addressOf(text: string): string | null {
  const address = writtenAddress(text);
  return address && textOf(unmapped(address));
}

/**
 * The one spelling of a network such as `10.0.0.0/8`; a single address becomes a network of one address. Null for any
 * other text.
 */
export function networkOf(text: string): string | null {
  const network = writtenNetwork(text);
  if (network === null) return null;
  const [base, bits] = unmappedNetwork(network);
  return `${textOf(base)}/${bits}`;
}

/** A set of allowed addresses. An IPv6 network contains no IPv4 address. */
export class AllowedAddresses {
  private readonly ipv4 = new BlockList();
  private readonly ipv6 = new BlockList();

  /** @param networks addresses and networks that {@link networkOf} accepts. */
  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [base = '', bits] = networkOf(network)!.split('/');
      if (isIP(base) === 4) this.ipv4.addSubnet(base, Number(bits), 'ipv4');
      else this.ipv6.addSubnet(base, Number(bits), 'ipv6');
    }
  }

  has(text: string): boolean {
    const address = addressOf(text);
    if (address === null) return false;
    return isIP(address) === 4 ? this.ipv4.check(address, 'ipv4') : this.ipv6.check(address, 'ipv6');
  }
}

/** Whether each of the first networks lies within one of the second. */
export function areNetworksWithin(inner: readonly string[], outer: readonly string[]): boolean {
  return inner.every((each) => outer.some((one) => contains(one, each)));
}

function contains(outer: string, inner: string): boolean {
  const [base = '', bits] = networkOf(inner)!.split('/');
  const [, outerBits] = networkOf(outer)!.split('/');
  return Number(outerBits) <= Number(bits) && new AllowedAddresses([outer]).has(base);
}
