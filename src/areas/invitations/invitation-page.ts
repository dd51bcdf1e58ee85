import { escaped } from '#libs/http/page.js';
import type { InvitationOffer } from './invitee.dto.js';

interface Page {
  title: string;
  body: string;
  formTargets?: readonly string[];
}

/**
 * The page of an invitation, opened by its link. The links on it are relative, so they also work behind a proxy with a
 * path prefix.
 * @param who address of the signed-in person; null if nobody is signed in.
 */
export function offerPage(
  { tenantName, invitedBy, roles, expiresAt }: InvitationOffer,
  token: string,
  who: string | null,
): Page {
  const path = encodeURIComponent(token);
  const returnTo = `/api/invitations/${path}`;
  const link = (text: string, more: { fresh?: 'true' } = {}) => {
    const login = `../auth/login?${new URLSearchParams({ returnTo, ...more }).toString()}`;
    return `<p><a href="${escaped(login)}">${text}</a></p>`;
  };
  const accept = (address: string) =>
    `<p>You are signed in as ${escaped(address)}.</p>\n<form method="post" action="${path}/accept"><button>Accept</button></form>`;
  return {
    title: `Join ${tenantName}`,
    body: [
      `<p>${escaped(invitedBy)} invites you as ${escaped(roles.join(', '))}. The invitation expires on ${dayOf(expiresAt)}.</p>`,
      ...(who === null
        ? [link('Sign in to accept')]
        : [accept(who), link('Sign in as another user', { fresh: 'true' })]),
    ].join('\n'),
    formTargets: ["'self'"],
  };
}

/** The page shown after an invitation is accepted. */
export function joinedPage(tenantName: string): Page {
  return { title: `You have joined ${tenantName}`, body: '<p><a href="../../../console">Continue</a></p>' };
}

const dayOf = (instant: string): string => `${instant.slice(0, 16).replace('T', ' ')} UTC`;
