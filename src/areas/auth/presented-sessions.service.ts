import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { sessionCookieOf } from '#libs/auth/session-cookie.js';
import { bearerOf } from '#libs/auth/strategies.js';
import { OwnPages } from '#libs/http/own-pages.js';
import { Problem } from '#libs/kernel/problem.js';
import { comesByCookie } from './sign-in-cookies.js';

/** Finds the session in requests that take none: what is open to everyone, and likes to know who it is. */
@Injectable()
export class PresentedSessionsService {
  constructor(private readonly pages: OwnPages) {}

  /** Its token; null without one. @throws Problem 403 `csrf_refused` for a cookie that a foreign page has sent along. */
  of(request: FastifyRequest): string | null {
    const cookie = comesByCookie(request) ? sessionCookieOf(request.headers.cookie) : null;
    if (cookie !== null && !this.pages.sent(request))
      throw new Problem('csrf_refused', 'The request does not come from a page of ours.');
    return cookie ?? bearerOf(request.headers.authorization);
  }
}
