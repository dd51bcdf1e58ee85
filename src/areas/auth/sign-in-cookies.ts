import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookiesNamed, sessionCookieOf, setCookie, setSessionCookie } from '#libs/auth/session-cookie.js';
import { PublicUrl } from '#libs/http/public-url.js';
import { Clock } from '#libs/kernel/clock.js';

const ATTEMPT = 'sign_in_';
const ATTEMPT_PATH = '/api/auth';

/** Where a browser is sent, and what it is given to keep. */
export interface Departure {
  location: string;
  cookies: string[];
}

/** What a browser has kept of what it was given. */
export interface BrowserCookies {
  /** Unfinished sign-ins by cookie name. */
  attempts: ReadonlyMap<string, string>;
  session: string | null;
}

/** The cookies of a request. */
export function cookiesOf({ headers }: Pick<FastifyRequest, 'headers'>): BrowserCookies {
  return { attempts: cookiesNamed(headers.cookie, ATTEMPT), session: sessionCookieOf(headers.cookie) };
}

/** Cookie name of a sign-in. Each sign-in has its own cookie, so parallel sign-ins do not overwrite each other. */
export function attemptName(state: string): string {
  return ATTEMPT + hash('sha256', state, 'hex').slice(0, 16);
}

/** Whether it is the cookie that says who makes a request. */
export function comesByCookie({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers.authorization === undefined && headers['x-api-key'] === undefined;
}

/** Sends the browser on. */
export function depart(reply: FastifyReply, { location, cookies }: Departure): void {
  void reply.header('location', location).header('set-cookie', cookies);
}

/** Cookies of signing in: over TLS only where we are reached over TLS. */
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
