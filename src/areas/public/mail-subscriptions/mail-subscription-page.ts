import type { Page } from '#libs/http/page.js';
import type { Brand } from '#libs/http/pages/brand.js';
import { markup } from '#libs/http/pages/markup.js';
import type { MailSubscription } from './mail-subscription.dto.js';

const MAILS = { notifications: 'notifications by mail', candidates: 'mails about your application' } as const;

/** Asks before mails are ended, because programs open links in mails, too. */
export function subscriptionPage({ tenantName, group, isEnded }: MailSubscription, brand: Brand): Page {
  if (isEnded)
    return {
      title: 'You get no more of these mails',
      body: markup`<p>There will be no more ${MAILS[group]} from ${tenantName}.</p>`,
      brand,
    };
  return {
    title: 'End these mails',
    body: markup`<p>You get ${MAILS[group]} from ${tenantName}.</p>
<form method="post"><p><button>Send me no more</button></p></form>`,
    brand,
    formTargets: [`'self'`],
  };
}
