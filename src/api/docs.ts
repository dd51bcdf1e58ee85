import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import type { AddressLimits } from '#libs/http/address-limits.js';
import { Problem } from '#libs/kernel/problem.js';
import { FAVICON } from './reference/favicon.js';
import { POLICY } from './reference/layout.js';
import { Reference } from './reference/reference.js';

const compress = promisify(gzip);
/** Matches an `Accept-Encoding` that accepts gzip; a weight of 0 excludes it. `Source:` RFC 9110 section 12.5.3. */
const TAKES_GZIP = /(?:^|,)[ \t]*(?:x-)?(?:gzip|\*)[ \t]*(?!;[ \t]*q=0(?:\.0*)?[ \t]*(?:,|$))(?=[;,]|$)/i;

const PAGE = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY };

/** A document in its two encodings. */
interface Document {
  plain: Buffer;
  zipped: Buffer;
  /** Entity tag without quotes; each encoding has a different one. */
  tag: string;
}

export interface DocsOptions {
  limits: Pick<AddressLimits, 'count'>;
  openapi: () => Promise<OpenAPIObject>;
  /** The public address of the API, for examples. */
  origin: () => string;
}

/**
 * Serves the OpenAPI document and the reference ([ADR 38](../../docs/adr/0038-the-reference-page.md)),
 * to which `/` redirects. They are public and rate-limited by IP address. Each is made on first request.
 */
export function serveDocs(server: FastifyInstance, { limits, openapi, origin }: DocsOptions): void {
  let made: Promise<Reference> | null = null;
  const reference = () => (made ??= openapi().then((document) => new Reference(document, origin())));
  const serve = (
    path: string,
    headers: Record<string, string>,
    load: (name: string) => Promise<string | null>,
  ): void => {
    const documents = new Map<string, Document>();
    server.get<{ Params: { name?: string } }>(path, async (request, reply) => {
      const refusal = await limits.count(request.scope.clientIp ?? '', 'documents');
      if (refusal) throw refusal;
      const { name = '' } = request.params;
      const document = documents.get(name) ?? (await documentOf(await load(name)));
      documents.set(name, document);
      void reply.headers({ ...headers, vary: 'accept-encoding', 'cache-control': 'no-cache' });
      if (!TAKES_GZIP.test(String(request.headers['accept-encoding'] ?? '')))
        return reply.header('etag', `"${document.tag}"`).send(document.plain);
      return reply.header('etag', `"${document.tag}-gzip"`).header('content-encoding', 'gzip').send(document.zipped);
    });
  };
  serve('/openapi.json', { 'content-type': 'application/json; charset=utf-8' }, async () =>
    JSON.stringify(await openapi()),
  );
  server.get('/', (_, reply) => reply.redirect('/docs'));
  server.get('/docs/', (_, reply) => reply.redirect('/docs'));
  server.get('/docs/api', (_, reply) => reply.redirect('/docs'));
  serve('/docs', PAGE, async () => (await reference()).index());
  serve('/docs/errors', PAGE, async () => (await reference()).errors());
  serve('/docs/api/:name', PAGE, async (slug) => (await reference()).page(slug));
  serve('/favicon.ico', { 'content-type': 'image/svg+xml' }, () => Promise.resolve(FAVICON));
}

/** @throws Problem when there is no text. */
async function documentOf(text: string | null): Promise<Document> {
  if (text === null) throw new Problem('not_found', 'There is no such page.');
  const plain = Buffer.from(text); // because a string would be copied for every response
  const tag = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  return { plain, zipped: await compress(plain), tag };
}
