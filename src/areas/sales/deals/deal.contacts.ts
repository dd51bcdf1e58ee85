import type { Records } from '#libs/resource/records/records.js';
import type { Referrer } from '#libs/resource/records/referrer.js';
import type { Deal, ShownDeal } from './deal.js';
import type { DealAction } from './deal.lifecycle.js';
import { anyOfContact, idsOfContact, replaceInTrash } from './deal.queries.js';

/** Deals that reference a contact as primary or further contact. */
export function contactReferrer(deals: Records<Deal, ShownDeal, DealAction>): Referrer {
  const { database } = deals.kit;
  return {
    noun: 'deals',
    async isUsed(id) {
      return (await database.read(anyOfContact(id))).length > 0;
    },
    async move(from, into) {
      const replaced = (id: string) => (id === from ? into : id);
      for (const { id } of await database.read<{ id: string }>(idsOfContact(from)))
        await deals.amend(id, ({ primaryContactId, contactIds }) => ({
          primaryContactId: primaryContactId && replaced(primaryContactId),
          contactIds: [...new Set(contactIds.map(replaced))],
        }));
      await deals.unit((transaction) => transaction.query(replaceInTrash(from, into)));
    },
  };
}
