import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHash, randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, type GenerateKeyPairResult, type JWTPayload, SignJWT } from 'jose';

/** The client id of the app for sign-in. */
export const AUDIENCE = 'platform-app';

/** A person known to the provider. */
export interface Claims extends JWTPayload {
  email?: string;
  email_verified?: unknown;
  name?: string;
  nonce?: string;
  amr?: unknown;
  auth_time?: unknown;
}

/** Overrides the response of the provider; null for the correct one. */
export type Told = { status: number; body: string | Buffer; headers?: Record<string, string> } | null;

/** A local OpenID provider. */
export interface Issuer {
  url: string;
  /** Requested documents, in order: `discovery`, `keys`. */
  readonly asked: string[];
  /** An ID token; undefined claims are left out. */
  token(claims?: Claims, header?: { alg?: string; typ?: string; kid?: string }): Promise<string>;
  /** An ID token signed with a key that the provider does not publish. */
  forged(claims?: Claims): Promise<string>;
  /** Signs tokens with a new key from now on, published together with the old one. */
  rotate(): Promise<void>;
  /** A single-use code that can be exchanged for an ID token with the verifier of a challenge. */
  code(idToken: string, challenge: string): string;
  /** Overrides responses from now on; null restores the correct ones. */
  answer(told: ((path: string) => Told) | null): void;
  close(): Promise<void>;
}

interface Pair extends GenerateKeyPairResult {
  kid: string;
}

/** Starts a provider that uses the clock of the test. */
export async function startIssuer(nowMs: () => number = Date.now): Promise<Issuer> {
  const keys: Pair[] = [await newPair()];
  const asked: string[] = [];
  const codes = new Map<string, { idToken: string; challenge: string }>();
  let override: Parameters<Issuer['answer']>[0] = null;
  const documents = async (path: string): Promise<object | null> => {
    if (path === '/.well-known/openid-configuration') {
      asked.push('discovery');
      return {
        issuer: url,
        jwks_uri: `${url}/keys`,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        end_session_endpoint: `${url}/logout`,
        authorization_response_iss_parameter_supported: true,
      };
    }
    if (path !== '/keys') return null;
    asked.push('keys');
    return { keys: await Promise.all(keys.map(publicJwk)) };
  };
  const server: Server = createServer((request, response) => {
    const path = request.url ?? '/';
    const told = override?.(path);
    if (told) {
      asked.push('told');
      response.writeHead(told.status, { 'content-type': 'application/json', ...told.headers }).end(told.body);
      return;
    }
    if (path === '/token') {
      void textOf(request).then((body) => {
        const granted = redeem(codes, new URLSearchParams(body));
        response
          .writeHead(granted ? 200 : 400, { 'content-type': 'application/json' })
          .end(JSON.stringify(granted ?? { error: 'invalid_grant' }));
      });
      return;
    }
    void documents(path).then((document) =>
      response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(document)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sign = ({ kid, privateKey }: Pair, claims: Claims, header: { typ?: string; kid?: string } = {}) => {
    const now = Math.floor(nowMs() / 1_000);
    const payload: Claims = {
      iss: url,
      aud: AUDIENCE,
      sub: randomUUID(),
      iat: now,
      exp: now + 300,
      jti: randomUUID(),
      ...claims,
    };
    for (const [name, value] of Object.entries(payload)) if (value === undefined) delete payload[name];
    return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid, ...header }).sign(privateKey);
  };
  return {
    url,
    asked,
    token: (claims = {}, header) => sign(keys.at(-1)!, claims, header),
    forged: async (claims = {}) => sign({ ...(await newPair()), kid: keys.at(-1)!.kid }, claims),
    rotate: async () => void keys.push(await newPair()),
    code(idToken, challenge) {
      const code = randomUUID();
      codes.set(code, { idToken, challenge });
      return code;
    },
    answer: (told) => (override = told),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** The tokens for a code; null when it was used or the verifier does not match its challenge. */
function redeem(codes: Map<string, { idToken: string; challenge: string }>, form: URLSearchParams): object | null {
  const code = form.get('code') ?? '';
  const found = codes.get(code);
  codes.delete(code);
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url');
  if (found?.challenge !== challenge) return null;
  return { access_token: randomUUID(), token_type: 'Bearer', expires_in: 60, id_token: found.idToken };
}

async function newPair(): Promise<Pair> {
  return { kid: randomUUID(), ...(await generateKeyPair('ES256', { extractable: true })) };
}

async function publicJwk({ kid, publicKey }: Pair): Promise<object> {
  return { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' };
}
