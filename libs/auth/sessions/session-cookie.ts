import { parseCookie, stringifySetCookie } from 'cookie';

const SESSION_COOKIE = 'session';
const MAX_SESSION_COOKIES = 5;

/** A cookie that scripts cannot read. Other sites cannot have it sent, except by a link to ours. */
export function setCookie(name: string, value: string, { maxAge, secure, path }: CookieTerms): string {
  return stringifySetCookie({ name, value, maxAge, secure, path, httpOnly: true, sameSite: 'lax' });
}

export interface CookieTerms {
  /** Lifetime in seconds; 0 removes the cookie. */
  maxAge: number;
  /** Whether it is sent over TLS only. */
  secure: boolean;
  path: string;
}

/** Cookies whose names start with a prefix. */
export function cookiesNamed(header: string | undefined, beginning: string): Map<string, string> {
  const named = Object.entries(parseCookie(header ?? '')).filter(([name]) => name.startsWith(beginning));
  return new Map(named.flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

/**
 * The values of all cookies named as ours, in their order: a browser also sends those of parent domains, where other
 * software may use the same name. At most five.
 */
export function sessionCookiesOf(header: string | undefined): string[] {
  const pairs = (header ?? '').split(';').map((part) => /^\s*([^=\s]+)\s*=\s*"?([^"\s]+)"?\s*$/.exec(part));
  const values = pairs.flatMap((pair) => (pair?.[1] === SESSION_COOKIE ? [pair[2]!] : []));
  return [...new Set(values)].slice(0, MAX_SESSION_COOKIES);
}

/** Sets the session cookie; an empty token with `maxAge` 0 removes it. */
export function setSessionCookie(token: string, terms: Pick<CookieTerms, 'maxAge' | 'secure'>): string {
  return setCookie(SESSION_COOKIE, token, { ...terms, path: '/' });
}
