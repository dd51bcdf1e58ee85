import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SignInRefused } from '#libs/auth/oidc/id-tokens.js';
import { sessionCookiesOf } from '#libs/auth/sessions/session-cookie.js';
import { bearerOf } from '#libs/auth/strategies.js';
import { OwnPages } from '#libs/http/own-pages.js';
import { isBrowser } from '#libs/http/page.js';
import { Problem } from '#libs/kernel/problem.js';
import type { NewSession } from '#libs/members/session.dto.js';
import { NewcomersService } from './newcomers.service.js';
import { comesByCookie, SignInCookies } from './sign-in-cookies.js';

/** Finds the session of requests to public operations that identify the caller if possible. */
@Injectable()
export class PresentedSessionsService {
  constructor(
    private readonly pages: OwnPages,
    private readonly newcomers: NewcomersService,
    private readonly cookies: SignInCookies,
  ) {}

  /** Its token; null without one. @throws Problem 403 `csrf_refused` for a cookie that a foreign page has sent along. */
  async of(request: FastifyRequest): Promise<string | null> {
    const cookies = comesByCookie(request) ? sessionCookiesOf(request.headers.cookie) : [];
    const cookie = await this.newcomers.chosen(cookies);
    if (cookie !== null && !this.pages.sent(request))
      throw new Problem('csrf_refused', 'The request was not sent from a trusted origin.');
    return cookie ?? bearerOf(request.headers.authorization);
  }

  /** Whether the response is shown in a browser that uses the session cookie. */
  isInBrowser(request: FastifyRequest): boolean {
    return isBrowser(request) && comesByCookie(request);
  }

  /** The verified address of the signed-in person; null if nobody is signed in. For display only. */
  async addressIn({ headers }: FastifyRequest): Promise<string | null> {
    const cookie = await this.newcomers.chosen(sessionCookiesOf(headers.cookie));
    if (cookie === null) return null;
    try {
      return (await this.newcomers.identify({ session: cookie })).email;
    } catch (error) {
      if (error instanceof SignInRefused) return null;
      throw error;
    }
  }

  /** Replaces the session of a browser. */
  give(reply: FastifyReply, { token, expiresAt }: Pick<NewSession, 'token' | 'expiresAt'>): void {
    void reply.header('set-cookie', this.cookies.session(token, expiresAt));
  }
}
