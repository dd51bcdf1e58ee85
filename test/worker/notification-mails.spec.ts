import { MailDelivery } from '#libs/mail/mail-delivery.js';
import { LaneSweep } from '#libs/webhooks/lanes/lane-sweep.js';
import { KeyExpiryUpkeep } from '#src/areas/access/api-keys/key-expiry-upkeep.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { makeKey } from '../e2e/settings/key-calls.js';
import type { TestTenant } from '../harness/platform.js';
import { startSmtp } from '../harness/smtp.js';
import { Stage } from './stage.js';

/** Mails follow the preferences of their recipients. */
const NOTIFICATIONS = '/api/settings/notifications';
const smtp = await startSmtp();
const stage = await Stage.open({ SMTP_URL: smtp.url, MAIL_FROM: 'no-reply@platform.example' });
afterAll(async () => {
  await stage.close();
  await smtp.close();
});

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await stage.platform.tenant();
  smtp.mails.length = 0;
});

const person = (role: string) => stage.platform.member(tenant, `A ${role}`, ['*'], { roles: [role] });
const addressOf = ({ id }: { id: string }) => `${id}@example.test`;
const inDays = (days: number) => new Date(stage.platform.clock.nowMs() + days * DAY_MS).toISOString();

/** All recipients, in order. */
async function readers(): Promise<string[]> {
  const worker = await stage.idleWorker();
  await worker.get(KeyExpiryUpkeep).sweep();
  await worker.get(LaneSweep).pass();
  while ((await worker.get(MailDelivery).pass()) > 0);
  return smtp.mails.flatMap(({ to }) => to).sort();
}

describe('a key that expires soon', () => {
  it('is announced to its owner once, without the secret', async () => {
    const [ana] = [await person('member'), await person('owner')];
    const body = { kind: 'personal', name: 'Reports', scopes: ['deals:read'], expiresAt: inDays(10) };
    const key = await makeKey(ana.api, body);
    expect(await readers()).toEqual([addressOf(ana)]);
    const [mail] = smtp.mails;
    expect(mail!.headers['subject']).toContain('expires soon');
    expect(mail!.text).toContain(`/api/settings/developer/api-keys/${key.id}`);
    expect(mail!.text).not.toContain(key.apiKey.slice(0, 30));
    await readers();
    expect(smtp.mails).toHaveLength(1);
  });

  it('is announced to members who manage all keys if it is a service key', async () => {
    const [owner, admin] = [await person('owner'), await person('admin'), await person('developer')];
    await makeKey(tenant.api, { expiresAt: inDays(10) });
    expect(await readers()).toEqual([addressOf(owner), addressOf(admin)].sort());
  });

  it('is not announced to members who turned off such mails', async () => {
    const [ana, ben] = [await person('owner'), await person('owner')];
    expect(await ana.api.patch(NOTIFICATIONS, { kinds: { security: { email: 'none' } } })).toMatchObject({
      status: 200,
    });
    await makeKey(tenant.api, { expiresAt: inDays(10) });
    await makeKey(ana.api, { kind: 'personal', scopes: ['deals:read'], expiresAt: inDays(10) });
    expect(await readers()).toEqual([addressOf(ben)]);
  });
});

it('mails about endpoints skip members who turned them off', async () => {
  const [ana, ben] = [await person('owner'), await person('owner')];
  await ana.api.patch(NOTIFICATIONS, { kinds: { endpoint: { email: 'none' } } });
  await ben.api.patch(NOTIFICATIONS, { kinds: { endpoint: { email: 'instant' } } });
  const receiver = await stage.receiver();
  const endpoint = await stage.endpoint(tenant, receiver.url, {});
  await stage.sql(
    `update data.webhook_lanes set failing_since = now() - interval '13 hours', failed_attempts = 20 where endpoint_id = $1`,
    [endpoint.id],
  );
  expect(await readers()).toEqual([addressOf(ben)]);
});
