/** Errors of the authorization endpoint (RFC 6749 section 4.1.2.1) and of the other endpoints (section 5.2). */
export type OauthErrorCode =
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_request'
  | 'invalid_scope'
  | 'request_not_supported'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'unsupported_token_type';

/** An OAuth error, returned to the client. */
export class OauthError extends Error {
  constructor(
    readonly code: OauthErrorCode,
    readonly description: string,
  ) {
    super(`${code}: ${description}`);
  }
}
