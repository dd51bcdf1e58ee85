import type { INestApplication } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CredentialRefused, Credentials, TenantRequired } from '#libs/auth/credentials.js';
import { sessionCookiesOf } from '#libs/auth/sessions/session-cookie.js';
import { AddressLimits } from '#libs/http/address-limits.js';
import { sendPage } from '#libs/http/page.js';
import { markup } from '#libs/http/pages/markup.js';
import { PublicUrl } from '#libs/http/public-url.js';

/** What a signed-in person can open in the browser, whose session is the credential. */
const LINKS: [path: string, text: string][] = [
  ['/api/home', 'Your home page, as JSON'],
  ['/api/bootstrap', 'Who you are and what you may do, as JSON'],
  ['/docs/api/settings-api-keys', 'How to make an API key of your own'],
  ['/docs/api/settings-oauth-grants', 'How to revoke the access of apps'],
  ['/docs', 'API reference'],
];

/**
 * Placeholder for a console: a page that shows the signed-in user and where to go on. Sign-ins and sign-outs redirect here. Operators serve
 * their own console at this path through a proxy.
 */
export function serveConsole(server: FastifyInstance, app: INestApplication): void {
  const [credentials, limits, url] = [app.get(Credentials), app.get(AddressLimits), app.get(PublicUrl)];
  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const limited = await limits.count(request.scope.clientIp ?? '', 'documents');
    if (limited) throw limited;
    const who = await whoIsIn(credentials, request);
    const login = url.to(`/api/auth/login?returnTo=${encodeURIComponent(request.url)}`);
    const links = who === null ? [[login, 'Sign in']] : LINKS.map(([path, text]) => [url.to(path), text]);
    const items = links.map(([href, text]) => markup`<li><a href="${href}">${text}</a></li>`);
    sendPage(reply, {
      title: who === null ? 'You are not signed in' : 'You are signed in',
      body: markup`<p>${who}</p>
        <ul>
          ${items}
        </ul>`,
    });
    return reply;
  };
  server.get('/console', serve);
  server.get('/console/*', serve);
}

/** Describes the signed-in user; null if nobody is signed in. */
async function whoIsIn(credentials: Credentials, { headers, scope }: FastifyRequest): Promise<string | null> {
  const token = await credentials.chosen(sessionCookiesOf(headers.cookie), scope.clientIp ?? '');
  if (token === null) return null;
  try {
    const { kind, name, tenant } = await credentials.acceptAnew(token, scope.clientIp ?? '');
    return kind === 'session' ? `User: ${name}. Tenant: ${tenant.slug}.` : null;
  } catch (error) {
    if (error instanceof TenantRequired)
      return `User: ${error.session.name ?? error.session.email ?? 'unnamed'}. No tenant selected.`;
    if (error instanceof CredentialRefused) return null;
    throw error;
  }
}
