import type { INestApplicationContext } from '@nestjs/common';
import { MailDelivery } from '#libs/mail/mail-delivery.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import type { Client } from '../harness/client.js';
import { exhaust } from './automation-stage.js';

export const INBOX = '/api/home/notifications';
export const SETTINGS = '/api/settings/notifications';

export interface Person {
  id: string;
  api: Client;
}

export interface Told {
  id: string;
  kind: string;
  subject: { object: string; id: string } | null;
  title: string;
  body: string | null;
  url: string | null;
  count: number;
  readAt: string | null;
  mailedAt: string | null;
  createdAt: string;
}

export const addressOf = ({ id }: Person) => `${id}@example.test`;

export async function inboxOf({ api }: Person, query = ''): Promise<Told[]> {
  const { status, body, text } = await api.get<{ data: Told[] }>(`${INBOX}${query}`);
  if (status !== 200) throw new Error(text);
  return body.data;
}

/** Handles all events and due timers, and sends all mails. */
export async function settle(worker: INestApplicationContext): Promise<void> {
  while ((await worker.get(EventRelay).pass()) !== 'none');
  await exhaust(worker);
  while ((await worker.get(EventRelay).pass()) !== 'none');
  await exhaust(worker);
  while ((await worker.get(MailDelivery).pass()) > 0);
}

export function comment({ api }: Pick<Person, 'api'>, dealId: string, body: string, ...mentioned: Person[]) {
  return api.post<{ id: string }>(`/api/v1/sales/deals/${dealId}/comments`, {
    body,
    mentions: mentioned.map(({ id }) => id),
  });
}

export function watch({ id, api }: Person, dealId: string) {
  return api.post(`/api/v1/sales/deals/${dealId}/watchers`, { membershipId: id });
}
