import { escaped } from '#libs/http/page.js';
import type { InvitationOffer } from './invitee.dto.js';

interface Page {
  title: string;
  body: string;
  formTargets?: readonly string[];
}

/**
 * What an invitation offers, for a person who has followed its link. Its links are relative, so that they lead to us behind
 * a proxy with a prefix too.
 * @param who the address of the person who is signed in; null for nobody.
 */
export function offerPage(
  { tenantName, invitedBy, roles, expiresAt }: InvitationOffer,
  token: string,
  who: string | null,
): Page {
  const path = encodeURIComponent(token);
  const login = `../auth/login?${new URLSearchParams({ returnTo: `/api/invitations/${path}` }).toString()}`;
  const link = (text: string) => `<p><a href="${escaped(login)}">${text}</a></p>`;
  const accept = (address: string) =>
    `<p>You are signed in as ${escaped(address)}.</p>\n<form method="post" action="${path}/accept"><button>Accept</button></form>`;
  return {
    title: `Join ${tenantName}`,
    body: [
      `<p>${escaped(invitedBy)} invites you as ${escaped(roles.join(', '))}. This is good until ${dayOf(expiresAt)}.</p>`,
      ...(who === null ? [link('Sign in to accept')] : [accept(who), link('Sign in as somebody else')]),
    ].join('\n'),
    formTargets: ["'self'"],
  };
}

/** What a person is told who has accepted. */
export function joinedPage(tenantName: string): Page {
  return { title: `You have joined ${tenantName}`, body: '<p><a href="../../../console">Go on</a></p>' };
}

const dayOf = (instant: string): string => `${instant.slice(0, 16).replace('T', ' ')} UTC`;
