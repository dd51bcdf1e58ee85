import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import type { AddressLimits } from '#libs/http/address-limits.js';
import { DOCS_PAGE } from './docs-page.js';

const compress = promisify(gzip);
const require = createRequire(import.meta.url);
const HTML = 'text/html; charset=utf-8';
const JAVASCRIPT = 'text/javascript; charset=utf-8';
/** Matches an `Accept-Encoding` that accepts gzip; a weight of 0 excludes it. `Source:` RFC 9110 section 12.5.3. */
const TAKES_GZIP = /(?:^|,)[ \t]*(?:x-)?(?:gzip|\*)[ \t]*(?!;[ \t]*q=0(?:\.0*)?[ \t]*(?:,|$))(?=[;,]|$)/i;

/** A document in its two encodings. */
interface Document {
  plain: Buffer;
  zipped: Buffer;
  /** Entity tag without quotes; each encoding has a different one. */
  tag: string;
}

/**
 * Serves the OpenAPI document, the reference page (to which `/` redirects) and the error codes, all from bundled files.
 * They are public and rate-limited by IP address. Each is built on first request.
 */
export function serveDocs(server: FastifyInstance, limits: AddressLimits, openapi: () => Promise<OpenAPIObject>): void {
  const bundled = (name: string) => () => readFile(require.resolve(`swagger-ui-dist/${name}`));
  const serve = (
    path: string,
    type: string,
    load: () => Promise<Buffer>,
    headers: Record<string, string> = {},
  ): void => {
    let document: Promise<Document> | null = null;
    server.get(path, async (request, reply) => {
      const refusal = await limits.count(request.scope.clientIp ?? '', 'documents');
      if (refusal) throw refusal;
      const { plain, zipped, tag } = await (document ??= documentOf(load));
      void reply.headers({ ...headers, vary: 'accept-encoding', 'cache-control': 'no-cache' }).type(type);
      if (!TAKES_GZIP.test(String(request.headers['accept-encoding'] ?? '')))
        return reply.header('etag', `"${tag}"`).send(plain);
      return reply.header('etag', `"${tag}-gzip"`).header('content-encoding', 'gzip').send(zipped);
    });
  };
  serve('/openapi.json', 'application/json; charset=utf-8', async () => Buffer.from(JSON.stringify(await openapi())));
  const servePage = (path: string, html: string) =>
    serve(path, HTML, () => Promise.resolve(Buffer.from(html)), { 'content-security-policy': DOCS_PAGE.policy });
  server.get('/', (_, reply) => reply.redirect('/docs'));
  servePage('/docs', DOCS_PAGE.html);
  servePage('/docs/', DOCS_PAGE.html);
  servePage('/docs/errors', DOCS_PAGE.errors);
  serve('/docs/page.js', JAVASCRIPT, () => Promise.resolve(Buffer.from(DOCS_PAGE.script)));
  serve('/docs/assets/swagger-ui-bundle.js', JAVASCRIPT, bundled('swagger-ui-bundle.js'));
  serve('/docs/assets/swagger-ui.css', 'text/css; charset=utf-8', bundled('swagger-ui.css'));
}

async function documentOf(load: () => Promise<Buffer>): Promise<Document> {
  const plain = await load(); // a buffer, because a string would be copied for every response
  const tag = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  return { plain, zipped: await compress(plain), tag };
}
