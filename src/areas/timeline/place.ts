import type { Kind } from '#libs/http/field.js';
import type { RouteOptions } from '#libs/http/route.js';

/** Path of any record, the base of its timeline. */
export const RECORD_PATH = 'api/v1/:area/:collection/:id';

const WORD = /^[a-z0-9-]{1,60}$/;

/** A path segment for an area or a collection. */
function pathWord(): Kind {
  return {
    schema: { type: 'string', pattern: WORD.source },
    check: (value) =>
      typeof value === 'string' && WORD.test(value)
        ? []
        : [
            {
              code: 'invalid_id',
              detail: 'The path segment must be 1 to 60 lower-case letters, digits and hyphens.',
            },
          ],
    parse: (text) => text,
  };
}

/** The path parameters of {@link RECORD_PATH} other than the id. */
export const PLACE_PARAMS: NonNullable<RouteOptions['params']> = {
  area: { kind: pathWord(), description: 'Area of the record, e.g. `sales`.' },
  collection: { kind: pathWord(), description: 'Collection of the record, e.g. `deals`.' },
};
