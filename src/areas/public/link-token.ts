import { text } from '#libs/http/field.js';

/** Path parameter of pages behind a link. The format is not validated: a malformed token must return the same 404 as an unknown one. */
export const LINK_TOKEN = {
  token: { kind: text({ min: 1, max: 500 }), description: 'The token from the link.' },
};
