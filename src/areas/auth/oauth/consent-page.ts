import type { OauthClient } from '#libs/auth/oauth-clients.js';
import { type Permission, PERMISSIONS } from '#libs/auth/permissions.js';
import { escaped } from '#libs/http/page.js';
import type { SignedInTenant } from '#libs/members/session.dto.js';

/** What somebody is asked. */
export interface Consent {
  client: OauthClient;
  redirectUri: string;
  /** Who is asked, in words. */
  person: string;
  /** For which tenant; null while they have chosen none. */
  tenant: SignedInTenant | null;
  /** The tenants that they can be asked in. */
  tenants: readonly SignedInTenant[];
  /** What the partner would be allowed. */
  granted: readonly Permission[];
  /** What it has asked for besides, which they may not do themselves. */
  beyond: readonly Permission[];
  /** What the page carries for us. */
  paper: string;
}

const list = (permissions: readonly Permission[]): string =>
  `<ul>${permissions.map((each) => `<li>${escaped(PERMISSIONS[each])}</li>`).join('')}</ul>`;
const button = (decision: string, text: string): string =>
  `<button name="decision" value="${decision}">${escaped(text)}</button>`;

/** The page that asks somebody whether a partner may act for them, which works without scripts. */
export function consentPage(consent: Consent): { title: string; body: string; formTargets: string[] } {
  const { client, tenant, redirectUri } = consent;
  return {
    title: `${client.name} asks for access`,
    body: [
      `<p>You are signed in as ${escaped(consent.person)}.</p>`,
      ...(tenant ? question(consent, tenant) : ['<p>Choose for which tenant.</p>']),
      form(consent, [
        ...(tenant && consent.granted.length > 0 ? [button('allow', 'Allow')] : []),
        button('deny', 'Do not allow'),
      ]),
      ...otherTenants(consent),
      `<p><small>You will be sent back to ${escaped(new URL(redirectUri).host)}. You can end the access at any time under Settings, Developer.</small></p>`,
    ].join('\n'),
    formTargets: ["'self'", sourceOf(new URL(redirectUri))],
  };
}

/** Where the partner is, as a security policy names it: browsers hold the redirect that answers a form against it. */
function sourceOf({ hostname, protocol, origin }: URL): string {
  return hostname.startsWith('[') ? protocol : origin; // it has no form for IPv6 addresses
}

function question({ client, granted, beyond }: Consent, tenant: SignedInTenant): string[] {
  const name = escaped(client.name);
  const place = `<strong>${escaped(tenant.name)}</strong> (${escaped(tenant.slug)})`;
  return [
    granted.length > 0
      ? `<p>May <strong>${name}</strong> do this on your behalf in ${place}, as far as you may do it yourself?</p>`
      : `<p>You may do nothing of what <strong>${name}</strong> asks for in ${place}.</p>`,
    ...(granted.length > 0 ? [list(granted)] : []),
    ...(beyond.length > 0 ? [`<p>It will not get what you may not do yourself:</p>`, list(beyond)] : []),
  ];
}

function otherTenants(consent: Consent): string[] {
  const others = consent.tenants.filter(({ id }) => id !== consent.tenant?.id);
  if (others.length === 0) return [];
  const options = others.map(({ slug, name }) => `<option value="${escaped(slug)}">${escaped(name)}</option>`);
  const select = `<label>Another tenant: <select name="tenant">${options.join('')}</select></label>`;
  return [form(consent, [select, button('switch', 'Go there')])];
}

function form({ paper }: Consent, content: readonly string[]): string {
  return [
    '<form method="post" action="authorize">',
    `<input type="hidden" name="request" value="${escaped(paper)}">`,
    `<p>${content.join(' ')}</p></form>`,
  ].join('');
}
