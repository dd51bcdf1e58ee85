import { text } from '#libs/http/field.js';

/** Path parameter of public pages of a tenant. The format is not validated: nothing tells it from an unknown one. */
export const TENANT_SLUG = {
  slug: { kind: text({ min: 1, max: 500 }), description: 'Short name of the tenant.' },
};
