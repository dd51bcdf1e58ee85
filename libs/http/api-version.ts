/** Version of the API, as named in the OpenAPI document and in the bootstrap document of apps. */
export const API_VERSION = '1.0.0';
