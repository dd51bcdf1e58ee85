import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { Otherwise } from './accepted.js';
import type { Dialect } from './dialect.js';
import { versionOfSparse } from './sparse.js';

/** The strong validator of a version of a record. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

/** The strong validator of a response without a version: a number like a version, 48 bits of a digest. */
export function contentTag(answer: unknown): string {
  return etagOf(createHash('sha256').update(JSON.stringify(answer)).digest().readUIntBE(0, 6));
}

/** Headers derived from a response: ETag of a record, Location of a new one. */
export function answerHeaders(
  route: { record?: boolean; status?: number; location?: string; dialect?: Dialect },
  request: FastifyRequest,
  result: unknown,
): Record<string, string> {
  if (route.dialect) return route.dialect.headersOf(result, route.status ?? 200);
  const headers: Record<string, string> = {};
  const record = result as { id?: unknown; version?: unknown } | null | undefined;
  const version = versionOfSparse(result) ?? record?.version;
  if (route.record && typeof version === 'number') headers['etag'] = etagOf(version);
  if (route.status === 201 && typeof record?.id === 'string' && !(result instanceof Otherwise))
    headers['location'] = `${route.location ?? pathOf(request)}/${record.id}`;
  return headers;
}

/** Path of a request as declared by its route, with the parameters filled in. */
function pathOf({ routeOptions, params }: FastifyRequest): string {
  return routeOptions.url!.replace(/:(\w+)/g, (_, name: string) => (params as Record<string, string>)[name]!);
}

/** Whether a list of validators (`If-Match`, `If-None-Match`) contains the tag. `Source:` RFC 9110 section 13.1. */
export function namesTag(list: string, tag: string, weak: boolean): boolean {
  if (list.trim() === '*') return true;
  const comparable = (each: string): string => (weak ? each.trim().replace(/^W\//, '') : each.trim());
  return list.split(',').some((each) => comparable(each) === comparable(tag));
}
