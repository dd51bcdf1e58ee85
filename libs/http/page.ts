import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '#libs/kernel/problem.js';

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:15vh auto;padding:0 1rem;color:#1d2433}h1{font-size:1.4rem}small{color:#667}table{width:100%;border-collapse:collapse;margin:1rem 0}td{padding:.3rem 0;border-bottom:1px solid #dde;vertical-align:top}td:last-child{text-align:right;white-space:nowrap}';
/** Content security policy: only our style sheet, no scripts or frames, and forms only to the given targets. */
const policyOf = (targets: readonly string[]): string =>
  `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; img-src 'self'; base-uri 'none'; form-action ${targets.join(' ') || "'none'"}; frame-ancestors 'none'`;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
/** Escapes a text for HTML. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (each) => ENTITIES[each]!);

/** Whether the request comes from a browser, which explicitly accepts HTML. Programs usually accept any type. */
export function isBrowser({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? '');
}

/** Sends a problem as an HTML page with a link to continue. */
export function sendProblemPage(
  reply: FastifyReply,
  problem: Problem,
  { requestId, next }: { requestId: string; next: { href: string; text: string } | null },
): void {
  const body = [
    `<p>${escaped(problem.detail)}</p>`,
    ...(next ? [`<p><a href="${escaped(next.href)}">${escaped(next.text)}</a></p>`] : []),
    `<p><small>${problem.code} · ${escaped(requestId)}</small></p>`,
  ].join('\n');
  sendPage(reply.code(problem.status).headers(problem.more.headers ?? {}), { title: problem.title, body });
}

/**
 * Sends a page. `body` is HTML; the caller must escape untrusted text.
 * @param formTargets CSP sources for form targets, including redirects after a form is submitted.
 */
export function sendPage(
  reply: FastifyReply,
  { title, body, formTargets = [] }: { title: string; body: string; formTargets?: readonly string[] },
): void {
  const page = [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">`,
    `<title>${escaped(title)}</title><style>${STYLE}</style></head>`,
    `<body><h1>${escaped(title)}</h1>`,
    body,
    `</body></html>`,
  ].join('\n');
  // With `no-referrer`, browsers would also send `Origin: null` with forms.
  if (formTargets.length > 0) void reply.header('referrer-policy', 'same-origin');
  void reply
    .header('content-security-policy', policyOf(formTargets))
    .header('content-type', 'text/html; charset=utf-8')
    .send(page);
}
