import type { INestApplicationContext } from '@nestjs/common';
import { pino } from 'pino';
import { BATCH, MailDelivery } from '#libs/mail/mail-delivery.js';
import { ENTITIES } from '#src/areas/entities.js';
import { createWorker } from '#src/worker/app.js';
import type { Answer } from '../../harness/client.js';
import type { TestTenant } from '../../harness/platform.js';
import { type SmtpCatcher, startSmtp } from '../../harness/smtp.js';
import { type Door, fromSomewhere, openDoor } from '../auth/door.js';

type Json = Record<string, unknown>;

export const INVITATIONS = '/api/admin/invitations';

/** An invitation in the administration API. */
export interface Invitation extends Json {
  id: string;
  email: string;
  status: string;
  version: number;
  expiresAt: string;
  sentCount: number;
}

interface Result {
  email: string;
  ok: boolean;
  invitation: Invitation | null;
  error: { code: string } | null;
}

/** A platform with a mail server and a worker that runs on demand. */
export interface Hall extends Door {
  smtp: SmtpCatcher;
  worker: INestApplicationContext;
  invite(tenant: TestTenant, body: Json): Promise<Answer<{ data: Result[] }>>;
  /** Invites a person; returns the invitation and the token of the mail. */
  invited(tenant: TestTenant, more?: Json): Promise<{ invitation: Invitation; token: string; email: string }>;
  /** Sends due mails and returns the token of the newest mail to an address. */
  tokenFor(email: string): Promise<string>;
  /** The response of one of the invitee's routes, from a unique IP address. */
  look(token: string): Promise<Answer>;
  accept(token: string, body?: Json, headers?: Record<string, string>): Promise<Answer>;
  decline(token: string): Promise<Answer>;
  /** An ID token for the address. */
  proof(email: string, more?: Json): Promise<string>;
  statusOf(id: string): Promise<string>;
}

let count = 0;
/** An unused address. */
export const newAddress = (): string => `Invitee-${process.pid}-${++count}@acme.example`;

export async function openHall(env: Record<string, string> = {}): Promise<Hall> {
  const smtp = await startSmtp();
  const door = await openDoor({ SMTP_URL: smtp.url, MAIL_FROM: 'Platform <no-reply@platform.example>', ...env });
  const { settings, masterKeys, systemUrl } = door.platform.database;
  const { clock } = door.platform;
  const options = { settings, masterKeys, databaseUrl: systemUrl, name: 'platform-worker', entities: ENTITIES, clock };
  const worker = await createWorker(options, pino({ level: 'silent' }));
  const { anonymous, issuer } = door;
  const hall: Hall = {
    ...door,
    smtp,
    worker,
    invite: (tenant, body) => tenant.api.post(INVITATIONS, body),
    async invited(tenant, more = {}) {
      const email = newAddress();
      const answer = await hall.invite(tenant, { email, ...more });
      const invitation = answer.body.data?.[0]?.invitation;
      if (!invitation) throw new Error(answer.text);
      return { invitation, email, token: await hall.tokenFor(email) };
    },
    async tokenFor(email) {
      while ((await worker.get(MailDelivery).pass()) === BATCH); // others wait too
      const mail = await smtp.mailTo(email);
      return /top_invite_\w+/.exec(mail.text)![0];
    },
    look: (token) => anonymous.get(`/api/invitations/${token}`, fromSomewhere()),
    accept: (token, body, headers = {}) =>
      anonymous.post(`/api/invitations/${token}/accept`, body, { ...fromSomewhere(), ...headers }),
    decline: (token) => anonymous.post(`/api/invitations/${token}/decline`, undefined, fromSomewhere()),
    proof: (email, more = {}) => issuer.token({ email, email_verified: true, name: 'Bo Berg', ...more }),
    async statusOf(id) {
      const [row] = await door.sql<{ status: string }>(`select status from data.invitations where id = $1`, [id]);
      return row!.status;
    },
    async close() {
      await worker.close();
      await door.close();
      await smtp.close();
    },
  };
  return hall;
}
