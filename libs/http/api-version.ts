/** Version of the API, which the OpenAPI document and what apps start with name. */
export const API_VERSION = '1.0.0';
