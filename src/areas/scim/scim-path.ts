/** Base path of SCIM. `Source:` interface document, "Versioning". */
export const SCIM_PATH = '/api/scim/v2';
