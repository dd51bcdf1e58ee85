import { BlockList, isIP } from 'node:net';

/** A network such as `10.0.0.0/8`; a single address becomes a network of one address. Null for any other text. */
export function networkOf(text: string): string | null {
  const [address = '', bits, rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || rest !== undefined) return null;
  const longest = family === 4 ? 32 : 128;
  if (bits === undefined) return `${address}/${longest}`;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= longest ? text : null;
}

/** A set of allowed addresses. */
export class AllowedAddresses {
  private readonly list = new BlockList();

  /** @param networks addresses and networks that {@link networkOf} accepts. */
  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = '', bits] = networkOf(network)!.split('/');
      this.list.addSubnet(address, Number(bits), familyOf(address));
    }
  }

  has(address: string): boolean {
    return this.list.check(address, familyOf(address));
  }
}

/** Whether each of the first networks lies within one of the second. */
export function areNetworksWithin(inner: readonly string[], outer: readonly string[]): boolean {
  return inner.every((each) => outer.some((one) => contains(one, each)));
}

function contains(outer: string, inner: string): boolean {
  const [[, outerBits], [address = '', innerBits]] = [networkOf(outer)!.split('/'), networkOf(inner)!.split('/')];
  const isSameFamily = familyOf(outer.split('/')[0]!) === familyOf(address);
  return isSameFamily && Number(outerBits) <= Number(innerBits) && new AllowedAddresses([outer]).has(address);
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
