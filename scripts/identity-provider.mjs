// An OpenID provider for development: npm start runs it when OIDC_ISSUER is not set. It accepts any identity without
// authentication, so it listens on loopback only, and never runs with NODE_ENV=production.
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import Provider from 'oidc-provider';
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js';

const { DATA_DIR = '.data', IDENTITIES = '[]', NODE_ENV } = process.env;
const HOST = '127.0.0.1';
const CALLBACK = '/api/auth/callback';
const FACTORS = { password: ['pwd'], both: ['pwd', 'otp', 'mfa'] };
const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:12vh auto;padding:0 1rem;color:#1d2433}label{display:block;padding:.2rem}button{margin-top:1rem;font:inherit}';
// No form-action: browsers also apply it to the redirect back to the platform.
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; frame-ancestors 'none'`;

if (NODE_ENV === 'production') {
  process.stderr.write('The development identity provider does not run with NODE_ENV=production\n');
  process.exit(1);
}

/** Keys and, after the first start, the port, stored to keep the issuer stable. */
function readKept(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'try-out' };
    return { port: 0, jwks: { keys: [jwk] }, cookieKeys: [randomBytes(32).toString('base64url')] };
  }
}

function keep(path, kept) {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(kept), { mode: 0o600 });
  renameSync(draft, path);
}

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text) => String(text).replace(/[&<>"']/g, (each) => ENTITIES[each]);

/** The person of an e-mail address: a known person or a new one; null for an invalid address. */
function personOf(email, people) {
  if (!/^[^\s@]{1,64}@[^\s@]{1,180}$/.test(email)) return null;
  return people.find((each) => each.email === email) ?? { email, name: email };
}

function signInPage(people, complaint = '') {
  const choice = ({ email, name }, index) =>
    `<label><input type="radio" name="email" value="${escaped(email)}"${index === 0 ? ' checked' : ''}> ${escaped(name)} &lt;${escaped(email)}&gt;</label>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Sign in</title><style>${STYLE}</style></head><body><h1>Who are you?</h1>
<p>This identity provider is for trying out: it believes you.</p>
<p>${complaint}</p>
<form method="post">${people.map(choice).join('\n')}
<label>or somebody else: <input type="email" name="other" placeholder="somebody@example.com"></label>
<label><input type="checkbox" name="mfa" value="true"> with a second factor</label>
<button>Sign in</button></form></body></html>`;
}

async function formOf(request) {
  let text = '';
  for await (const chunk of request) {
    text += chunk;
    if (text.length > 10_000) throw new Error('The form is too long');
  }
  return new URLSearchParams(text);
}

function configurationOf({ jwks, cookieKeys }, people) {
  return {
    clients: [
      {
        client_id: 'platform',
        token_endpoint_auth_method: 'none',
        redirect_uris: [`http://${HOST}${CALLBACK}`],
        post_logout_redirect_uris: [`http://${HOST}/console`],
      },
    ],
    adapter: createMemoryAdapter(0), // named explicitly, otherwise the library warns about its default
    jwks,
    cookies: { keys: cookieKeys },
    conformIdTokenClaims: false,
    claims: { openid: ['sub', 'auth_time', 'amr'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) => {
      const person = personOf(id, people);
      return person && { accountId: id, claims: () => ({ ...person, sub: id, email_verified: true }) };
    },
    // No consent screen: the platform is the only client.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  };
}

/** The platform may use any port on this machine. */
function allowsLoopback(pathOf) {
  return function allowed(uri) {
    const url = URL.parse(uri);
    return url !== null && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname) && pathOf(url.pathname);
  };
}

async function interact(provider, people, request, response) {
  await provider.interactionDetails(request, response);
  const ask = (status, complaint) => {
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY });
    response.end(signInPage(people, complaint));
  };
  if (request.method !== 'POST') return ask(200);
  const form = await formOf(request);
  const person = personOf(form.get('other') || (form.get('email') ?? ''), people);
  if (!person) return ask(400, 'This is not a valid e-mail address.');
  const amr = form.get('mfa') === 'true' ? FACTORS.both : FACTORS.password;
  await provider.interactionFinished(request, response, { login: { accountId: person.email, amr } });
}

const path = join(DATA_DIR, 'identity-provider.json');
const kept = readKept(path);
const people = JSON.parse(IDENTITIES);
const server = createServer();
server.on('error', (error) => {
  process.stderr.write(
    `The development identity provider cannot use port ${kept.port} (${error.code}): set OIDC_ISSUER, or free the port\n`,
  );
  process.exit(1);
});
server.listen(kept.port, HOST, () => {
  const { port } = server.address();
  keep(path, { ...kept, port });
  const issuer = `http://${HOST}:${port}`;
  const provider = new Provider(issuer, configurationOf(kept, people));
  provider.Client.prototype.redirectUriAllowed = allowsLoopback((each) => each.endsWith(CALLBACK));
  provider.Client.prototype.postLogoutRedirectUriAllowed = allowsLoopback(() => true);
  const serve = provider.callback();
  server.on('request', (request, response) => {
    if (!request.url.startsWith('/interaction/')) return void serve(request, response);
    interact(provider, people, request, response).catch((error) => {
      if (!response.headersSent) response.writeHead(400, { 'content-type': 'text/plain' });
      response.end(`Sign-in failed (${error.name}). Start again.\n`);
    });
  });
  process.send?.({ ready: true, url: issuer });
});
process.on('disconnect', () => process.exit(0));
