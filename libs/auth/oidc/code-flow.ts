import { Inject, Injectable } from '@nestjs/common';
import * as oidc from 'openid-client';
import { isLocal } from '#libs/config/people-settings.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { assertNoOpenTransaction } from '#libs/outbound/transaction-probe.js';
import { ProviderFailure, readBounded } from './bounded-document.js';
import { ALGORITHMS, SignInRefused } from './id-tokens.js';
import { IdentityProvider, type ProviderEndpoints } from './identity-provider.js';

/** Timeout of one call to the provider, seconds. */
const TIMEOUT_SECONDS = 5;
const SCOPES = 'openid email profile';

/** Values that bind the provider's response to the browser that was sent there. */
export interface CodeChecks {
  state: string;
  nonce: string;
  /** PKCE code verifier. */
  verifier: string;
}

/**
 * The authorization code flow: sends browsers to the OpenID provider and exchanges the returned code for an ID token.
 * `Source:` OpenID Connect Core 1.0 section 3.1.
 */
@Injectable()
export class CodeFlow {
  private readonly clientId: string | null;
  private readonly clientSecret: string | null;

  constructor(
    private readonly provider: IdentityProvider,
    private readonly clock: Clock,
    @Inject(SETTINGS_TOKEN) settings: Pick<Settings, 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET'>,
  ) {
    this.clientId = settings.OIDC_CLIENT_ID;
    this.clientSecret = settings.OIDC_CLIENT_SECRET;
  }

  /**
   * The URL to send a browser to, and the values that the response is checked against.
   * @param fresh requires the person to sign in again even if they have a session at the provider.
   * @throws Problem 404 when no provider is configured, 503 when it cannot be reached.
   */
  async begin(redirectUri: string, fresh: boolean): Promise<{ url: string; checks: CodeChecks }> {
    const checks = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() };
    const url = oidc.buildAuthorizationUrl(await this.configuration(), {
      redirect_uri: redirectUri,
      scope: SCOPES,
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: 'S256',
      ...(fresh ? { prompt: 'login', max_age: '0' } : {}),
    });
    return { url: url.href, checks };
  }

  /**
   * Rejects a response issued by another provider (RFC 9207). The sign-in stays open.
   * @throws SignInRefused; Problem 503 when the provider cannot be reached.
   */
  async refuseForeign({ searchParams }: URL): Promise<void> {
    const issuers = searchParams.getAll('iss');
    const { authorization_response_iss_parameter_supported: isNamed } = (await this.configuration()).serverMetadata();
    if (issuers.length === 0 && !isNamed) return;
    if (issuers.length !== 1 || issuers[0] !== this.provider.issuer) throw answerInvalid();
  }

  /**
   * Exchanges the response that a browser returns with for an ID token. Its signature has yet to be verified ({@link
   * IdTokens}).
   * @param answer the callback URL with its parameters, as registered with the provider.
   * @throws SignInRefused; Problem 503 when the provider cannot be reached.
   */
  async finish(answer: URL, { state, nonce, verifier }: CodeChecks): Promise<string> {
    assertNoOpenTransaction();
    const configuration = await this.configuration();
    try {
      const tokens = await oidc.authorizationCodeGrant(configuration, answer, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      return tokens.id_token!;
    } catch (error) {
      throw refusalOf(error);
    }
  }

  /**
   * The URL at which a browser signs out at the provider too; null when the provider does not support it or does not
   * respond.
   */
  async logoutUrl(returnUri: string): Promise<string | null> {
    if (this.clientId === null || this.provider.issuer === null) return null;
    const endpoints = await this.provider.endpoints().catch(() => null);
    if (!endpoints?.endSession) return null;
    return oidc.buildEndSessionUrl(this.describe(endpoints, this.clientId), { post_logout_redirect_uri: returnUri })
      .href;
  }

  private async configuration(): Promise<oidc.Configuration> {
    if (this.clientId === null || this.provider.issuer === null)
      throw new Problem('sign_in_not_configured', 'Sign-in by browser is not configured.');
    try {
      return this.describe(await this.provider.endpoints(), this.clientId);
    } catch (error) {
      throw refusalOf(error);
    }
  }

  private describe(endpoints: ProviderEndpoints, clientId: string): oidc.Configuration {
    const issuer = this.provider.issuer!;
    const metadata: oidc.ServerMetadata = {
      issuer,
      authorization_endpoint: endpoints.authorization,
      token_endpoint: endpoints.token,
      id_token_signing_alg_values_supported: [...ALGORITHMS],
      authorization_response_iss_parameter_supported: endpoints.namesItself,
      ...(endpoints.endSession === null ? {} : { end_session_endpoint: endpoints.endSession }),
    };
    const ahead = Math.round((this.clock.nowMs() - Date.now()) / 1_000); // the library uses the system clock
    const configuration = new oidc.Configuration(
      metadata,
      clientId,
      { [oidc.clockSkew]: ahead, [oidc.clockTolerance]: 60 },
      this.clientProof(endpoints),
    );
    configuration.timeout = TIMEOUT_SECONDS;
    configuration[oidc.customFetch] = boundedFetch;
    if (isLocal(new URL(issuer))) oidc.allowInsecureRequests(configuration);
    return configuration;
  }

  private clientProof({ clientProofs }: ProviderEndpoints): oidc.ClientAuth {
    if (this.clientSecret === null) return oidc.None();
    const takesBasic = clientProofs === null || clientProofs.includes('client_secret_basic');
    return takesBasic ? oidc.ClientSecretBasic(this.clientSecret) : oidc.ClientSecretPost(this.clientSecret);
  }
}

/** One request whose response is limited in size. @throws ProviderFailure */
const boundedFetch: oidc.CustomFetch = async (url, { headers, method, body, signal }) => {
  try {
    const content = (body ?? null) as NonNullable<RequestInit['body']> | null;
    const answer = await fetch(url, { headers, method, body: content, signal: signal ?? null, redirect: 'error' });
    const { status } = answer;
    if (status >= 500) throw new ProviderFailure(`the identity provider answered ${status}`);
    return new Response(await readBounded(answer), { status, headers: answer.headers });
  } catch (error) {
    if (error instanceof ProviderFailure) throw error;
    throw new ProviderFailure(`the identity provider did not respond: ${(error as Error).name}`, { cause: error });
  }
};

/** Maps a failure to our own message. The provider's text is not shown, except its error code. */
function refusalOf(error: unknown): unknown {
  const cause: unknown = error instanceof Error ? error.cause : null;
  if (error instanceof ProviderFailure || cause instanceof ProviderFailure)
    return new Problem('unavailable', 'The identity provider did not respond; try again.', {
      headers: { 'retry-after': '2' },
      cause: error,
    });
  if (error instanceof oidc.AuthorizationResponseError) {
    const code = /^[a-z_]{1,50}$/.test(error.error) ? ` (${error.error})` : '';
    return new SignInRefused('provider_refused', `The identity provider refused the sign-in${code}.`);
  }
  if (error instanceof oidc.ResponseBodyError)
    return new SignInRefused(
      'code_refused',
      'The identity provider rejected the code: it was already used or has expired.',
    );
  return answerInvalid();
}

function answerInvalid(): SignInRefused {
  return new SignInRefused('answer_invalid', 'The response of the identity provider does not belong to this sign-in.');
}
