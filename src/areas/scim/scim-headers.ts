import { namesTag } from '#libs/http/answer-headers.js';
import type { Resource } from '#libs/scim-language/resource.js';
import { ScimError } from '#libs/scim-language/scim-error.js';
import { currentScope } from '#libs/tenancy/scope.js';

const META = Symbol('meta');

/** Values for the response headers that the body may omit (`attributes`, `excludedAttributes`). */
interface AnswerMeta {
  version: string;
  location: string;
}

/** The entity tag of a version. Weak, because the `groups` of a user change with the groups. */
export function etagOf(version: number): string {
  return `W/"${version}"`;
}

/** Attaches the values for the headers to a resource without adding them to its JSON. */
export function withMeta(shown: Resource, { version, location }: AnswerMeta): Resource {
  return Object.defineProperty(shown, META, { value: { version, location } satisfies AnswerMeta });
}

/** ETag of a single resource, Location of a new one. `Source:` RFC 7644 sections 3.3, 3.14. */
export function headersOf(answer: unknown, status: number): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'application/scim+json; charset=utf-8' };
  const meta = (answer as { [META]?: AnswerMeta } | null | undefined)?.[META];
  if (meta) headers['etag'] = meta.version;
  if (meta && status === 201) headers['location'] = meta.location;
  return headers;
}

/**
 * Compares the version of a resource with the request's `If-Match`, weakly.
 * @throws ScimError 412 for another version.
 */
export function checkIfMatch(version: number): void {
  const { ifMatch } = currentScope();
  if (ifMatch === null || namesTag(ifMatch, etagOf(version), true)) return;
  throw new ScimError(412, `The resource has the version ${etagOf(version)} by now; read it again.`);
}
