import type { Page } from '#libs/http/page.js';
import type { Brand } from '#libs/http/pages/brand.js';
import { formatsOf } from '#libs/http/pages/formats.js';
import { markup } from '#libs/http/pages/markup.js';
import type { InvitationOffer } from './invitee.dto.js';

/**
 * The page of an invitation, opened by its link. The links on it are relative, so they also work behind a proxy with a
 * path prefix.
 * @param who address of the signed-in person; null if nobody is signed in.
 */
export function offerPage(
  { tenantName, invitedBy, roles, expiresAt }: InvitationOffer,
  { token, who, brand }: { token: string; who: string | null; brand: Brand },
): Page {
  const path = encodeURIComponent(token);
  const returnTo = `/api/invitations/${path}`;
  const login = (more: { fresh?: 'true' } = {}) =>
    `../auth/login?${new URLSearchParams({ returnTo, ...more }).toString()}`;
  const accept = markup`<p>You are signed in as ${who}.</p>
    <form method="post" action="${path}/accept"><button>Accept</button></form>
    <form method="post" action="${path}/decline"><button class="second">Decline</button></form>
    <p><a href="${login({ fresh: 'true' })}">Sign in as another user</a></p>`;
  return {
    title: `Join ${tenantName}`,
    brand,
    body: markup`<p>${invitedBy} invites you as ${roles.join(', ')}. The invitation expires on ${formatsOf(brand).time(expiresAt)}.</p>
      ${who === null ? markup`<p><a class="button" href="${login()}">Sign in to accept</a></p>` : accept}
      <p class="hint">To accept or decline, sign in with the address that the invitation was sent to.</p>`,
    formTargets: ["'self'"],
    bySession: true,
  };
}

/** The page shown after an invitation is accepted. */
export function joinedPage(tenantName: string): Page {
  return { title: `You have joined ${tenantName}`, body: markup`<p><a href="../../../console">Continue</a></p>` };
}

/** The page shown after an invitation is declined. */
export function declinedPage(): Page {
  return {
    title: 'You have declined',
    body: markup`<p>The invitation is closed. If that was a mistake, ask for a new one.</p>`,
  };
}
