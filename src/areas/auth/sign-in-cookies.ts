import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookiesNamed, sessionCookiesOf, setCookie, setSessionCookie } from '#libs/auth/sessions/session-cookie.js';
import { PublicUrl } from '#libs/http/public-url.js';
import { Clock } from '#libs/kernel/clock.js';

const ATTEMPT = 'sign_in_';
const ATTEMPT_PATH = '/api/auth';

/** A redirect with its cookies. */
export interface Departure {
  location: string;
  cookies: string[];
}

/** The cookies sent by a browser. */
export interface BrowserCookies {
  /** Unfinished sign-ins by cookie name. */
  attempts: ReadonlyMap<string, string>;
  sessions: readonly string[];
}

/** The cookies of a request. */
export function cookiesOf({ headers }: Pick<FastifyRequest, 'headers'>): BrowserCookies {
  return { attempts: cookiesNamed(headers.cookie, ATTEMPT), sessions: sessionCookiesOf(headers.cookie) };
}

/** Cookie name of a sign-in. Each sign-in has its own cookie, so parallel sign-ins do not overwrite each other. */
export function attemptName(state: string): string {
  return ATTEMPT + hash('sha256', state, 'hex').slice(0, 16);
}

/** Whether this is the session cookie. */
export function comesByCookie({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers.authorization === undefined && headers['x-api-key'] === undefined;
}

/** Redirects the browser. */
export function depart(reply: FastifyReply, { location, cookies }: Departure): void {
  void reply.header('location', location).header('set-cookie', cookies);
}

/** Sign-in cookies; `Secure` if the public URL uses TLS. */
@Injectable()
export class SignInCookies {
  constructor(
    private readonly url: PublicUrl,
    private readonly clock: Clock,
  ) {}

  attempt(name: string, paper: string, seconds: number): string {
    return setCookie(name, paper, { maxAge: seconds, secure: this.secure, path: ATTEMPT_PATH });
  }

  noAttempt(name: string): string {
    return this.attempt(name, '', 0);
  }

  session(token: string, expiresAt: string): string {
    const seconds = Math.max(0, Math.floor((Date.parse(expiresAt) - this.clock.nowMs()) / 1_000));
    return setSessionCookie(token, { maxAge: seconds, secure: this.secure });
  }

  noSession(): string {
    return setSessionCookie('', { maxAge: 0, secure: this.secure });
  }

  private get secure(): boolean {
    return this.url.origin.startsWith('https:');
  }
}
