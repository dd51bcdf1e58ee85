import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '#libs/kernel/problem.js';
import { type Brand, readableColor } from './pages/brand.js';
import { markup, type Markup } from './pages/markup.js';
import { STYLE } from './pages/style.js';

/** A page for people. It needs no script, and none would run. */
export interface Page {
  /** Heading, and title of the window. */
  title: string;
  /** What follows the heading. */
  body: Markup;
  /** Whose page it is; by default it is the platform's own. */
  brand?: Brand;
  /** Content security policy sources that its forms may lead to, including redirects after they are submitted. */
  formTargets?: readonly string[];
  /**
   * Its forms act with the session of the browser, so they tell us from where they are sent. Browsers send forms of
   * other pages with `Origin: null`, because these pages pass on no address.
   */
  bySession?: true;
  /** Search engines may list it. */
  isForEverybody?: true;
}

/** Whether the request comes from a browser, which explicitly accepts HTML. Programs usually accept any type. */
export function isBrowser({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? '');
}

/** Sends a value as JSON, or to browsers a page that shows it. */
export function sendShown(request: FastifyRequest, reply: FastifyReply, value: object, page: () => Page): void {
  void reply.header('vary', 'accept');
  if (isBrowser(request)) sendPage(reply, page());
  else void reply.send(value);
}

/** Sends a problem as an HTML page with a link to continue. */
export function sendProblemPage(
  reply: FastifyReply,
  problem: Problem,
  { requestId, next }: { requestId: string; next: { href: string; text: string } | null },
): void {
  const { errors = [] } = problem.more;
  const body = markup`<p>${problem.detail}</p>
${errors.length > 0 && markup`<ul>${errors.map(({ pointer, detail }) => markup`<li>${pointer?.slice(1)}: ${detail}</li>`)}</ul>`}
${next && markup`<p><a href="${next.href}">${next.text}</a></p>`}
<p><small>${problem.code} · ${requestId}</small></p>`;
  sendPage(reply.code(problem.status).headers(problem.more.headers ?? {}), { title: problem.title, body });
}

/** Sends a page. */
export function sendPage(reply: FastifyReply, page: Page): void {
  const { title, body, brand, formTargets = [], bySession = false, isForEverybody = false } = page;
  const style = `:root{--brand:${readableColor(brand?.color ?? null)}}\n${STYLE}`;
  const policy = [
    `default-src 'none'`,
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    `img-src 'self'`,
    `base-uri 'none'`,
    `form-action ${formTargets.join(' ') || `'none'`}`,
    `frame-ancestors 'none'`,
  ];
  const head =
    brand &&
    markup`<header>${brand.logo && markup`<img src="${brand.logo}" alt="">`}<span>${brand.name}</span></header>`;
  const text = markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${brand ? `${title} · ${brand.name}` : title}</title>`.text;
  const main = markup`</head>
<body>
${head}
<main><h1>${title}</h1>
${body}
</main>
</body></html>
`.text;
  if (bySession) void reply.header('referrer-policy', 'same-origin');
  if (!isForEverybody) void reply.header('x-robots-tag', 'noindex, nofollow');
  void reply
    .header('content-security-policy', policy.join('; '))
    .header('content-type', 'text/html; charset=utf-8')
    .send(`${text}<style>${style}</style>${main}`);
}
