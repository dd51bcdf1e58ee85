import type { INestApplication } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CredentialRefused, Credentials, TenantRequired } from '#libs/auth/credentials.js';
import { sessionCookieOf } from '#libs/auth/session-cookie.js';
import { AddressLimits } from '#libs/http/address-limits.js';
import { escaped, sendPage } from '#libs/http/page.js';
import { PublicUrl } from '#libs/http/public-url.js';

/**
 * Serves what stands where a console is to be: a page that says whether somebody is signed in, and as whom. Sign-ins and
 * sign-outs lead there; a proxy that serves a console at the path comes first.
 */
export function serveConsole(server: FastifyInstance, app: INestApplication): void {
  const [credentials, limits, url] = [app.get(Credentials), app.get(AddressLimits), app.get(PublicUrl)];
  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const limited = await limits.count(request.ip, 'documents');
    if (limited) throw limited;
    const who = await whoIsIn(credentials, request);
    const login = `${url.origin}/api/auth/login?returnTo=${encodeURIComponent(request.url)}`;
    const link =
      who === null ? { href: login, text: 'Sign in' } : { href: `${url.origin}/docs`, text: 'API reference' };
    sendPage(reply, {
      title: who === null ? 'You are not signed in' : 'You are signed in',
      body: `<p>${escaped(who ?? '')}</p>\n<p><a href="${escaped(link.href)}">${link.text}</a></p>`,
    });
    return reply;
  };
  server.get('/console', serve);
  server.get('/console/*', serve);
}

/** As whom a browser is signed in, in words; null if it is not. */
async function whoIsIn(credentials: Credentials, { headers, ip }: FastifyRequest): Promise<string | null> {
  const token = sessionCookieOf(headers.cookie);
  if (token === null) return null;
  try {
    const { kind, name, tenant } = await credentials.acceptAnew(token, ip);
    return kind === 'session' ? `As ${name}, in the tenant ${tenant.slug}.` : null;
  } catch (error) {
    if (error instanceof TenantRequired)
      return `As ${error.session.name ?? error.session.email ?? 'somebody'}, in no tenant yet.`;
    if (error instanceof CredentialRefused) return null;
    throw error;
  }
}
