import { parseCookie, stringifySetCookie } from 'cookie';

const SESSION_COOKIE = 'session';

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

/** The session token in the cookie header; null when there is none. */
export function sessionCookieOf(header: string | undefined): string | null {
  return (header && parseCookie(header)[SESSION_COOKIE]) || null;
}

/** Sets the session cookie; an empty token with `maxAge` 0 removes it. */
export function setSessionCookie(token: string, terms: Pick<CookieTerms, 'maxAge' | 'secure'>): string {
  return setCookie(SESSION_COOKIE, token, { ...terms, path: '/' });
}
