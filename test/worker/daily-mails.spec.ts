import type { INestApplicationContext } from '@nestjs/common';
import { civilDateAt } from '#libs/kernel/civil-time.js';
import { DigestUpkeep } from '#src/areas/home/notifications/digest-upkeep.js';
import { HOUR_MS } from '#libs/kernel/durations.js';
import { MailDelivery } from '#libs/mail/mail-delivery.js';
import type { TestTenant } from '../harness/platform.js';
import { startSmtp } from '../harness/smtp.js';
import { addressOf, comment, INBOX, inboxOf, type Person, settle, SETTINGS, watch } from './notifications-stage.js';
import { Stage } from './stage.js';

const smtp = await startSmtp();
const stage = await Stage.open({ SMTP_URL: smtp.url, MAIL_FROM: 'no-reply@platform.example' });
const { clock } = stage.platform;
let worker: INestApplicationContext;
beforeAll(async () => {
  worker = await stage.idleWorker();
});
afterAll(async () => {
  await stage.close();
  await smtp.close();
});

let tenant: TestTenant;
let ana: Person;
let dealId: string;
beforeEach(async () => {
  tenant = await stage.platform.tenant();
  ana = await stage.platform.member(tenant, 'Ana');
  dealId = await stage.deal(tenant);
  smtp.mails.length = 0;
});

const moveTo = (instant: string) => clock.advance(Date.parse(instant) - clock.nowMs());
const mailsTo = (person: Person) => smtp.mails.filter(({ to }) => to.includes(addressOf(person)));

/** A member who watches the deal. */
async function watcher(timezone: string, digestAt: string): Promise<Person> {
  const person = await stage.platform.member(tenant, 'Ben');
  await person.api.patch('/api/settings/profile', { timezone });
  await person.api.patch(SETTINGS, { digestAt });
  await watch(person, dealId);
  return person;
}

async function happens(body: string): Promise<void> {
  await comment(ana, dealId, body);
  await settle(worker);
}

async function sweep(): Promise<void> {
  await worker.get(DigestUpkeep).sweep();
  while ((await worker.get(MailDelivery).pass()) > 0);
}

it.each([
  ['Europe/Berlin', 'to summer time', '2027-03-27T06:00:00Z'],
  ['Europe/Berlin', 'to winter time', '2027-10-30T06:00:00Z'],
  ['Australia/Sydney', 'to winter time', '2028-03-31T21:00:00Z'],
  ['Australia/Sydney', 'to summer time', '2028-09-29T21:00:00Z'],
])('is one for each local day over the change of %s %s', async (timezone, _direction, start) => {
  moveTo(start);
  // 02:30 is skipped or occurs twice on the day of the change.
  const people = [await watcher(timezone, '02:30'), await watcher(timezone, '07:00')];
  const days = new Map(people.map((person) => [person, [] as string[]]));
  for (let halfHour = 0; halfHour < 3 * 48; halfHour++) {
    if (halfHour % 12 === 0) await happens(`At ${halfHour}`);
    clock.advance(HOUR_MS / 2);
    smtp.mails.length = 0;
    await sweep();
    for (const person of people)
      for (const _mail of mailsTo(person)) days.get(person)!.push(civilDateAt(clock.nowMs(), timezone));
  }
  for (const sent of days.values()) {
    expect(sent).toEqual([...new Set(sent)]);
    expect(sent).toHaveLength(3);
  }
});

it('lists what is unread since the last one, and nothing that may no longer be seen', async () => {
  const ben = await watcher('Europe/Berlin', '07:00');
  moveTo('2029-01-10T20:00:00Z');
  await happens('First');
  await sweep();
  expect(mailsTo(ben)).toEqual([]);
  moveTo('2029-01-11T06:01:00Z');
  await happens('After the time');
  await sweep();
  const [mail, ...more] = mailsTo(ben);
  expect(more).toEqual([]);
  expect(mail!.headers['subject']).toBe(`${tenant.slug}: 1 notification`);
  expect(mail!.text).toContain('Ana commented: Acme renewal');
  expect(mail!.text).toContain(`${INBOX}?unread=true`);
  expect((await inboxOf(ben)).map(({ mailedAt }) => mailedAt !== null)).toEqual([false, true]);

  moveTo('2029-01-12T06:01:00Z');
  await sweep();
  expect(mailsTo(ben)).toHaveLength(2);
  await happens('Read in time');
  await ben.api.post(`${INBOX}/read`, { before: clock.now().toISOString() });
  moveTo('2029-01-13T06:01:00Z');
  await sweep();
  expect(mailsTo(ben)).toHaveLength(2);

  await happens('Hidden');
  const principal = { type: 'membership', id: ben.id };
  const denial = { object: 'sales.deal', objectId: dealId, principal, effect: 'deny' };
  await ana.api.post('/api/admin/resource-permissions', denial);
  moveTo('2029-01-14T06:01:00Z');
  await sweep();
  expect(mailsTo(ben)).toHaveLength(2);
});

it('is sent once by several workers, and after a late start', async () => {
  const ben = await watcher('Europe/Berlin', '23:59');
  moveTo('2030-01-10T12:00:00Z');
  await happens('One');
  moveTo('2030-01-10T23:10:00Z');
  const others = [worker, await stage.idleWorker(), await stage.idleWorker()];
  await Promise.all(others.map((each) => each.get(DigestUpkeep).sweep()));
  await settle(worker);
  expect(mailsTo(ben)).toHaveLength(1);
});
