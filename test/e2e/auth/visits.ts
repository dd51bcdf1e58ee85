import type { Browser, Page } from '../../harness/browser.js';
import type { Claims } from '../../harness/issuer.js';
import type { Door } from './door.js';

/** Deviations in the response of the provider. */
export interface Hostility {
  claims?: Claims;
  token?: string;
  state?: string;
  iss?: string | null;
  code?: string;
}

/** Browser sign-in at the provider of a door. */
export function visitsOf(door: Door) {
  const { url } = door.platform;
  const visits = {
    /** Opens the sign-in page of the provider. @returns the parameters of the request. */
    async leave(browser: Browser, query: Record<string, string> = {}): Promise<URLSearchParams> {
      const page = await browser.open(`${url}/api/auth/login?${new URLSearchParams(query).toString()}`);
      if (page.status !== 303) throw new Error(page.text);
      return page.location!.searchParams;
    },

    /** Returns from the provider with claims about a person. */
    async comeBack(browser: Browser, asked: URLSearchParams, claims: Claims, hostile: Hostility = {}): Promise<Page> {
      const token =
        hostile.token ?? (await door.issuer.token({ nonce: asked.get('nonce')!, ...claims, ...hostile.claims }));
      const answer = new URLSearchParams({
        code: hostile.code ?? door.issuer.code(token, asked.get('code_challenge')!),
        state: hostile.state ?? asked.get('state')!,
        ...(hostile.iss === null ? {} : { iss: hostile.iss ?? door.issuer.url }),
      });
      return browser.open(`${url}/api/auth/callback?${answer.toString()}`);
    },

    async signIn(browser: Browser, claims: Claims, query: Record<string, string> = {}): Promise<Page> {
      return visits.comeBack(browser, await visits.leave(browser, query), claims);
    },
  };
  return visits;
}
