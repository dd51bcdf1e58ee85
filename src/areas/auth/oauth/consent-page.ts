import type { OauthClient } from '#libs/auth/oauth-clients.js';
import { type Permission, permissionTexts } from '#libs/auth/permissions.js';
import { escaped } from '#libs/http/page.js';
import type { SignedInTenant } from '#libs/members/session.dto.js';

/** The content of the consent page. */
export interface Consent {
  client: OauthClient;
  redirectUri: string;
  /** Name or address of the user. */
  person: string;
  /** The selected tenant; null if none is selected yet. */
  tenant: SignedInTenant | null;
  /** Tenants that the user can select. */
  tenants: readonly SignedInTenant[];
  /** Permissions that consent would grant. */
  granted: readonly Permission[];
  /** Requested permissions that the user does not have. */
  beyond: readonly Permission[];
  /** The encrypted request, carried in the form. */
  paper: string;
}

const list = (permissions: readonly Permission[]): string =>
  `<ul>${permissions.map((each) => `<li>${escaped(permissionTexts()[each])}</li>`).join('')}</ul>`;
const button = (decision: string, text: string): string =>
  `<button name="decision" value="${decision}">${escaped(text)}</button>`;

/** The consent page. It works without scripts. */
export function consentPage(consent: Consent): { title: string; body: string; formTargets: string[] } {
  const { client, tenant, redirectUri } = consent;
  return {
    title: `${client.name} requests access`,
    body: [
      `<p>You are signed in as ${escaped(consent.person)}.</p>`,
      ...(tenant ? question(consent, tenant) : ['<p>Select a tenant.</p>']),
      form(consent, [
        ...(tenant && consent.granted.length > 0 ? [button('allow', 'Allow')] : []),
        button('deny', 'Deny'),
      ]),
      ...otherTenants(consent),
      `<p><small>You will return to ${escaped(new URL(redirectUri).host)}. You can <a href="/docs/api/settings-oauth-grants#settings.oauth_grants.revoke" target="_blank">revoke this access</a> at any time.</small></p>`,
    ].join('\n'),
    formTargets: ["'self'", sourceOf(new URL(redirectUri))],
  };
}

/** The redirect target as a CSP source: browsers apply `form-action` to the redirect after a form post. */
function sourceOf({ hostname, protocol, origin }: URL): string {
  return hostname.startsWith('[') ? protocol : origin; // CSP cannot express IPv6 addresses
}

function question({ client, granted, beyond }: Consent, tenant: SignedInTenant): string[] {
  const name = escaped(client.name);
  const place = `<strong>${escaped(tenant.name)}</strong> (${escaped(tenant.slug)})`;
  return [
    granted.length > 0
      ? `<p>Allow <strong>${name}</strong> to do the following on your behalf in ${place}?</p>`
      : `<p>You have none of the permissions in ${place} that <strong>${name}</strong> requests.</p>`,
    ...(granted.length > 0 ? [list(granted)] : []),
    ...(beyond.length > 0
      ? [`<p>Also requested, but not granted because you do not have these permissions:</p>`, list(beyond)]
      : []),
  ];
}

function otherTenants(consent: Consent): string[] {
  const others = consent.tenants.filter(({ id }) => id !== consent.tenant?.id);
  if (others.length === 0) return [];
  const options = others.map(({ slug, name }) => `<option value="${escaped(slug)}">${escaped(name)}</option>`);
  const select = `<label>Another tenant: <select name="tenant">${options.join('')}</select></label>`;
  return [form(consent, [select, button('switch', 'Switch')])];
}

function form({ paper }: Consent, content: readonly string[]): string {
  return [
    '<form method="post" action="authorize">',
    `<input type="hidden" name="request" value="${escaped(paper)}">`,
    `<p>${content.join(' ')}</p></form>`,
  ].join('');
}
