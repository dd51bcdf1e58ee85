import { parseCookie, stringifySetCookie } from 'cookie';

const SESSION_COOKIE = 'session';

/** A cookie that no script reads and no other site has sent along, but for following a link. */
export function setCookie(name: string, value: string, { maxAge, secure, path }: CookieTerms): string {
  return stringifySetCookie({ name, value, maxAge, secure, path, httpOnly: true, sameSite: 'lax' });
}

export interface CookieTerms {
  /** Seconds that it lasts; 0 removes it. */
  maxAge: number;
  /** Sent over TLS only. */
  secure: boolean;
  path: string;
}

/** The cookies whose names begin with a text. */
export function cookiesNamed(header: string | undefined, beginning: string): Map<string, string> {
  const named = Object.entries(parseCookie(header ?? '')).filter(([name]) => name.startsWith(beginning));
  return new Map(named.flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

/** The session that a browser sends by itself; null when it sends none. */
export function sessionCookieOf(header: string | undefined): string | null {
  return (header && parseCookie(header)[SESSION_COOKIE]) || null;
}

/** Gives the browser a session; an empty token takes it away. */
export function setSessionCookie(token: string, terms: Pick<CookieTerms, 'maxAge' | 'secure'>): string {
  return setCookie(SESSION_COOKIE, token, { ...terms, path: '/' });
}
