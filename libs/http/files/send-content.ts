import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Content, FileContents } from '#libs/files/file-contents.js';
import { Problem } from '#libs/kernel/problem.js';
import { namesTag } from '../answer-headers.js';
import { rangeOf } from './byte-ranges.js';
import { dispositionOf } from './disposition.js';

/** For browsers that show it nevertheless: it may load nothing and run nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** How bytes are offered. */
export interface Presentation {
  /** Name of the file for whoever saves it. */
  name: string;
  /** Whether a browser may show it, if that is safe for its type. */
  inline: boolean;
}

/**
 * Sends the bytes of a content, or the range that the request asks for. A HEAD gets the headers alone.
 * @throws Problem 416 `range_not_satisfiable`, 503 `unavailable`.
 */
export async function sendContent(
  request: FastifyRequest,
  reply: FastifyReply,
  contents: FileContents,
  content: Content,
  { name, inline }: Presentation,
): Promise<void> {
  const { id, sizeBytes, sha256, mimeType } = content;
  const tag = `"${sha256}"`;
  const { 'if-none-match': known, 'if-range': unlessChanged, range: asked } = request.headers;
  void reply.headers({
    'accept-ranges': 'bytes',
    'content-disposition': dispositionOf({ name, mimeType, inline }),
    'content-security-policy': POLICY,
    etag: tag,
  });
  if (known !== undefined && namesTag(known, tag, true)) return void reply.code(304).send();
  void reply.header('content-type', mimeType.startsWith('text/') ? `${mimeType}; charset=utf-8` : mimeType);
  // For any other body, Fastify would replace the length by its own.
  if (request.method === 'HEAD') return void reply.header('content-length', sizeBytes).send(Readable.from([]));
  const isUsable = unlessChanged === undefined || unlessChanged === tag;
  const range = isUsable ? rangeOf(asked, sizeBytes) : null;
  if (range === 'none')
    throw new Problem('range_not_satisfiable', `The file has ${sizeBytes} bytes.`, {
      headers: { 'content-range': `bytes */${sizeBytes}` },
    });
  const { stream } = await contents.open(id, range ?? undefined);
  if (range) void reply.code(206).header('content-range', `bytes ${range.first}-${range.last}/${sizeBytes}`);
  void reply.header('content-length', range ? range.last - range.first + 1 : sizeBytes).send(stream);
}
