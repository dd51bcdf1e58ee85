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

/** Bound on one call of the provider, seconds. */
const TIMEOUT_SECONDS = 5;
const SCOPES = 'openid email profile';

/** What ties the answer of the provider to the browser that was sent there. */
export interface CodeChecks {
  state: string;
  nonce: string;
  /** Of PKCE. */
  verifier: string;
}

/** Sends browsers to the OpenID provider and gets the ID token for what they come back with. `Source:` OpenID Connect Core 1.0 section 3.1. */
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
   * Where to send a browser, and what its answer is held against.
   * @param fresh the person has to sign in anew, whatever session they have there.
   * @throws Problem 404 when there is no provider, 503 when it cannot be asked.
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
   * Refuses an answer that another provider has given (RFC 9207). It says nothing about the sign-in, which goes on.
   * @throws SignInRefused; Problem 503 when the provider cannot be asked.
   */
  async refuseForeign({ searchParams }: URL): Promise<void> {
    const issuers = searchParams.getAll('iss');
    const { authorization_response_iss_parameter_supported: isNamed } = (await this.configuration()).serverMetadata();
    if (issuers.length === 0 && !isNamed) return;
    if (issuers.length !== 1 || issuers[0] !== this.provider.issuer) throw answerInvalid();
  }

  /**
   * The ID token for the answer that a browser brings, whose signature is still to be verified ({@link IdTokens}).
   * @param answer the URL that it came to, as the provider was told it.
   * @throws SignInRefused; Problem 503 when the provider cannot be asked.
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

  /** Where a browser is signed out at the provider too; null where that offers nothing of the kind, or does not answer. */
  async logoutUrl(returnUri: string): Promise<string | null> {
    if (this.clientId === null || this.provider.issuer === null) return null;
    const endpoints = await this.provider.endpoints().catch(() => null);
    if (!endpoints?.endSession) return null;
    return oidc.buildEndSessionUrl(this.describe(endpoints, this.clientId), { post_logout_redirect_uri: returnUri })
      .href;
  }

  private async configuration(): Promise<oidc.Configuration> {
    if (this.clientId === null || this.provider.issuer === null)
      throw new Problem('sign_in_not_configured', 'The operator has configured no sign-in by browser.');
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
    const ahead = Math.round((this.clock.nowMs() - Date.now()) / 1_000); // the library looks at the system's clock
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

/** One request whose answer is bounded in bytes. @throws ProviderFailure */
const boundedFetch: oidc.CustomFetch = async (url, { headers, method, body, signal }) => {
  try {
    const content = (body ?? null) as NonNullable<RequestInit['body']> | null;
    const answer = await fetch(url, { headers, method, body: content, signal: signal ?? null, redirect: 'error' });
    const { status } = answer;
    if (status >= 500) throw new ProviderFailure(`the identity provider answered ${status}`);
    return new Response(await readBounded(answer), { status, headers: answer.headers });
  } catch (error) {
    if (error instanceof ProviderFailure) throw error;
    throw new ProviderFailure(`the identity provider did not answer: ${(error as Error).name}`, { cause: error });
  }
};

/** What went wrong in words of ours; what the provider writes itself is not shown, but for the code of its refusal. */
function refusalOf(error: unknown): unknown {
  const cause: unknown = error instanceof Error ? error.cause : null;
  if (error instanceof ProviderFailure || cause instanceof ProviderFailure)
    return new Problem('unavailable', 'The identity provider did not answer; try again.', {
      headers: { 'retry-after': '2' },
      cause: error,
    });
  if (error instanceof oidc.AuthorizationResponseError) {
    const code = /^[a-z_]{1,50}$/.test(error.error) ? ` (${error.error})` : '';
    return new SignInRefused('provider_refused', `The identity provider has not signed you in${code}.`);
  }
  if (error instanceof oidc.ResponseBodyError)
    return new SignInRefused(
      'code_refused',
      'The identity provider does not take the code: it was used, or is too old.',
    );
  return answerInvalid();
}

function answerInvalid(): SignInRefused {
  return new SignInRefused('answer_invalid', 'The answer of the identity provider does not belong to this sign-in.');
}
