import { Inject, Injectable, Logger } from '@nestjs/common';
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import { isLocal } from '#libs/config/people-settings.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { isObject } from '#libs/kernel/is-object.js';
import { readTarget } from '#libs/outbound/target.js';
import { fetchDocument, ProviderFailure } from './bounded-document.js';

const DISCOVERY = '/.well-known/openid-configuration';
/** How long keys are cached. An unknown key id triggers an earlier fetch. */
const KEYS_MAX_AGE_MS = 10 * 60_000;
/** Minimum time between two fetches for unknown key ids, which any caller can trigger. */
const KEYS_COOLDOWN_MS = 30_000;
/** Pause after a failure before the provider is called again. */
const FAILURE_PAUSE_MS = 2_000;

/** The endpoints and capabilities from the provider's discovery document. */
export interface ProviderEndpoints {
  authorization: string;
  token: string;
  /** Null for a provider without logout. */
  endSession: string | null;
  /** Client authentication methods; null for the default of the standard. */
  clientProofs: readonly string[] | null;
  /** Whether its responses carry `iss`. `Source:` RFC 9207. */
  namesItself: boolean;
}

interface KnownProvider {
  keys: JWTVerifyGetKey;
  document: Record<string, unknown>;
}

/** The OpenID provider of the installation: expected issuer and audiences, endpoints and signing keys. */
@Injectable()
export class IdentityProvider {
  /** Expected `iss` of tokens; null when no provider is configured. */
  readonly issuer: string | null;
  readonly audiences: readonly string[];
  /** Whether addresses count as verified if its tokens do not say. */
  readonly trustsEmail: boolean;
  /** Values of `acr` that stand for a second factor. */
  readonly multiFactorAcr: readonly string[];
  private readonly logger = new Logger('sign-in');
  private known: Promise<KnownProvider> | null = null;
  private failure: { error: ProviderFailure; until: number } | null = null;

  constructor(
    @Inject(SETTINGS_TOKEN)
    settings: Pick<Settings, 'OIDC_ISSUER' | 'OIDC_AUDIENCE' | 'OIDC_CLIENT_ID' | 'OIDC_TRUST_EMAIL' | 'OIDC_MFA_ACR'>,
  ) {
    this.issuer = settings.OIDC_ISSUER;
    this.trustsEmail = settings.OIDC_TRUST_EMAIL;
    this.multiFactorAcr = settings.OIDC_MFA_ACR;
    const { OIDC_AUDIENCE, OIDC_CLIENT_ID } = settings;
    this.audiences = [...new Set([...OIDC_AUDIENCE, ...(OIDC_CLIENT_ID === null ? [] : [OIDC_CLIENT_ID])])];
  }

  /**
   * Finds the signing key of a token. The discovery document is read once per process; keys are cached for ten minutes.
   * @throws ProviderFailure when the provider cannot be reached or returns invalid documents.
   */
  readonly keyOf: JWTVerifyGetKey = async (header, token) => {
    const { keys } = await this.discovered();
    try {
      return await keys(header, token);
    } catch (error) {
      if (error instanceof ProviderFailure) this.known = null;
      throw error;
    }
  };

  /** The endpoints of the provider for sign-in, code exchange and logout. @throws ProviderFailure as {@link keyOf}. */
  async endpoints(): Promise<ProviderEndpoints> {
    const { document } = await this.discovered();
    return endpointsOf(document, new URL(this.issuer!));
  }

  private async discovered(): Promise<KnownProvider> {
    this.known ??= this.discover();
    try {
      return await this.known;
    } catch (error) {
      this.known = null;
      throw error;
    }
  }

  private async discover(): Promise<KnownProvider> {
    const { issuer } = this;
    if (issuer === null) throw new ProviderFailure('no identity provider is configured');
    const document = await this.fetch(issuer.replace(/\/$/, '') + DISCOVERY);
    if (!isObject(document) || document['issuer'] !== issuer)
      throw new ProviderFailure('the discovery document does not belong to the configured issuer');
    const keys = createRemoteJWKSet(checkedUrl(document, 'jwks_uri', new URL(issuer)), {
      cacheMaxAge: KEYS_MAX_AGE_MS,
      cooldownDuration: KEYS_COOLDOWN_MS,
      [customFetch]: async (url) => Response.json(await this.fetch(url)),
    });
    return { keys, document };
  }

  /** After a failure, no request is sent during the pause, however many people sign in. */
  private async fetch(url: string): Promise<unknown> {
    const now = performance.now();
    if (this.failure && now < this.failure.until) throw this.failure.error;
    try {
      const document = await fetchDocument(url);
      this.failure = null;
      return document;
    } catch (error) {
      const failure = error as ProviderFailure; // fetchDocument throws only this
      this.failure = { error: failure, until: performance.now() + FAILURE_PAUSE_MS };
      this.logger.warn(failure.message);
      throw failure;
    }
  }
}

function endpointsOf(document: Record<string, unknown>, issuer: URL): ProviderEndpoints {
  const proofs = document['token_endpoint_auth_methods_supported'];
  return {
    authorization: checkedUrl(document, 'authorization_endpoint', issuer).href,
    token: checkedUrl(document, 'token_endpoint', issuer).href,
    endSession:
      document['end_session_endpoint'] === undefined ? null : checkedUrl(document, 'end_session_endpoint', issuer).href,
    clientProofs: Array.isArray(proofs) ? proofs.map(String) : null,
    namesItself: document['authorization_response_iss_parameter_supported'] === true,
  };
}

/**
 * Checks a URL of the discovery document. It must be on the issuer's origin or on a public host over TLS, so that the
 * document cannot point into our own network.
 */
function checkedUrl(document: Record<string, unknown>, member: string, issuer: URL): URL {
  const text = document[member];
  const target = typeof text === 'string' ? readTarget(text) : null;
  const isOwn = target?.url?.origin === issuer.origin && (issuer.protocol === 'https:' || isLocal(issuer));
  const isPublic = target?.url != null && target.faults.length === 0 && target.privateOnly.length === 0;
  if (!target?.url || !(isOwn || isPublic)) throw new ProviderFailure(`the discovery document has no usable ${member}`);
  return target.url;
}
