import { isObject } from '#libs/kernel/is-object.js';
import { invalidSyntax } from '#libs/scim-language/scim-error.js';
import { type ListRequest, readListRequest } from '../list/list-request.js';

/**
 * What a search is for. All of its members are optional, but there is always a message: a body that is none asks for
 * nothing, not for everything. `Source:` RFC 7644 section 3.4.3.
 * @throws ScimError `invalidSyntax`, `invalidValue`.
 */
export function readSearchRequest(body: unknown): ListRequest {
  if (!isObject(body)) throw invalidSyntax('The body has to be a JSON object.');
  return readListRequest(body);
}
