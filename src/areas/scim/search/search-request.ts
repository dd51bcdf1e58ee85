import { isObject } from '#libs/kernel/is-object.js';
import { invalidSyntax } from '#libs/scim-language/scim-error.js';
import { type ListRequest, readListRequest } from '../list/list-request.js';

/**
 * Parses a search request. All members are optional, but a message is required: an invalid body must not list
 * everything. `Source:` RFC 7644 section 3.4.3.
 * @throws ScimError `invalidSyntax`, `invalidValue`.
 */
export function readSearchRequest(body: unknown): ListRequest {
  if (!isObject(body)) throw invalidSyntax('The body has to be a JSON object.');
  return readListRequest(body);
}
