import { networkOf } from '#libs/kernel/network.js';
import { type Kind, text } from './field.js';

/** An address, or a network in CIDR notation. In a query, in its one spelling. */
export function network(): Kind {
  const kind = text({ min: 1, max: 49 });
  const check = (value: unknown) => {
    const faults = kind.check(value);
    if (faults.length > 0 || networkOf(value as string) !== null) return faults;
    return [{ code: 'invalid_network', detail: 'It must be an address, or a network such as 203.0.113.0/24.' }];
  };
  return { ...kind, check, parse: (given) => networkOf(given) ?? given };
}
