import { domainToASCII } from 'node:url';
import { fold } from './fold.js';
import { withoutUnseen } from './line.js';

const ASCII_DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.){1,8}(?!\d+$)[a-z0-9-]{2,63}$/;

/** The one spelling of an internet domain: in ASCII and lower case. Null if the text is none. */
export function domainOf(text: string): string | null {
  const ascii = domainToASCII(text);
  return ascii.length <= 253 && ASCII_DOMAIN.test(ascii) ? ascii : null;
}

/** The domain of an e-mail address, for comparisons; as it is written if it is no internet domain. */
export function domainOfAddress(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return domainOf(domain) ?? domain.toLowerCase();
}

/**
 * The one spelling of an e-mail address: an internationalised domain in ASCII, and without marks that nobody sees. The
 * case of the rest is kept, because comparisons ignore it.
 */
export function addressSpelling(address: string): string {
  const seen = withoutUnseen(address);
  const at = seen.lastIndexOf('@') + 1;
  const domain = seen.slice(at);
  return /[^\x20-\x7e]/.test(domain) ? seen.slice(0, at) + (domainToASCII(domain) || domain) : seen;
}

/** A name or an address as it is compared: two that look the same, or lead to the same mailbox, are the same. */
export function comparisonKey(name: string): string {
  return fold(name.includes('@') ? addressSpelling(name) : withoutUnseen(name));
}
