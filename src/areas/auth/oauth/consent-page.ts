import type { OauthClient } from '#libs/auth/oauth-clients.js';
import { type Permission, permissionTexts } from '#libs/auth/permissions.js';
import type { Page } from '#libs/http/page.js';
import { markup, type Markup } from '#libs/http/pages/markup.js';
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

const list = (permissions: readonly Permission[]): Markup =>
  markup`<ul>
    ${permissions.map((each) => markup`<li>${permissionTexts()[each]}</li>`)}
  </ul>`;
const button = (decision: string, text: string): Markup =>
  markup`<button name="decision" value="${decision}">${text}</button>`;

/** The consent page. It works without scripts. */
export function consentPage(consent: Consent): Page {
  const { client, tenant, redirectUri } = consent;
  return {
    title: `${client.name} requests access`,
    body: markup`<p>You are signed in as ${consent.person}.</p>
      ${tenant ? question(consent, tenant) : markup`<p>Select a tenant.</p>`}
      ${form(consent, [tenant && consent.granted.length > 0 && button('allow', 'Allow'), button('deny', 'Deny')])}
      ${otherTenants(consent)}
      <p>
        <small
          >You will return to ${new URL(redirectUri).host}. You can
          <a href="/docs/api/settings-oauth-grants#settings.oauth_grants.revoke" target="_blank">revoke this access</a> at any time.</small
        >
      </p>`,
    formTargets: ["'self'", sourceOf(new URL(redirectUri))],
    bySession: true,
  };
}

/** The redirect target as a CSP source: browsers apply `form-action` to the redirect after a form post. */
function sourceOf({ hostname, protocol, origin }: URL): string {
  return hostname.startsWith('[') ? protocol : origin; // CSP cannot express IPv6 addresses
}

function question({ client, granted, beyond }: Consent, tenant: SignedInTenant): Markup {
  const name = markup`<strong>${client.name}</strong>`;
  const place = markup`<strong>${tenant.name}</strong> (${tenant.slug})`;
  return markup`${
    granted.length > 0
      ? markup`<p>Allow ${name} to do the following on your behalf in ${place}?</p>
          ${list(granted)}`
      : markup`<p>You have none of the permissions in ${place} that ${name} requests.</p>`
  }
  ${
    beyond.length > 0 &&
    markup`<p>Also requested, but not granted because you do not have these permissions:</p>
      ${list(beyond)}`
  }`;
}

function otherTenants(consent: Consent): Markup | null {
  const others = consent.tenants.filter(({ id }) => id !== consent.tenant?.id);
  if (others.length === 0) return null;
  const options = others.map(({ slug, name }) => markup`<option value="${slug}">${name}</option>`);
  const select = markup`<label
    >Another tenant:
    <select name="tenant">
      ${options}
    </select></label
  >`;
  return form(consent, [select, button('switch', 'Switch')]);
}

function form({ paper }: Consent, content: readonly (Markup | false | null)[]): Markup {
  return markup`<form method="post" action="authorize">
    <input type="hidden" name="request" value="${paper}" />
    <div>${content}</div>
  </form>`;
}
