import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** A JSON value in canonical form (RFC 8785): equal values have equal texts. */
export function canonical(value: unknown): string {
  return canonicalize(value) as string; // undefined only for values that are not JSON
}

/** SHA-256 of a JSON value in canonical form, in lower case hexadecimal. */
export function digestOf(value: unknown): string {
  return hash('sha256', canonical(value), 'hex');
}
