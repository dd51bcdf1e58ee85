/** Base path of SCIM. */
export const SCIM_PATH = '/api/scim/v2';
