import { AutomationWorker } from '#libs/automation/automation-worker.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { MailDelivery } from '#libs/mail/mail-delivery.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { act, INVOICES, ISSUABLE, issued } from '../e2e/finance/invoice-calls.js';
import type { TestTenant } from '../harness/platform.js';
import { startSmtp } from '../harness/smtp.js';
import { Stage } from './stage.js';

const DUE_IN = 10;

const smtp = await startSmtp();
const stage = await Stage.open({ SMTP_URL: smtp.url, MAIL_FROM: 'no-reply@platform.example' });
let workers = [await stage.idleWorker(), await stage.idleWorker()];
afterAll(async () => {
  await stage.close();
  await smtp.close();
});

let tenant: TestTenant;
/** Address of the customer. Invoices of earlier tests are still reminded of. */
let address: string;
beforeEach(async () => {
  tenant = await stage.platform.tenant();
  address = `${tenant.slug}@globex.example`;
});

const mails = () => smtp.mails.filter(({ to }) => to.includes(address));

async function work(): Promise<void> {
  await workers[0]!.get(EventRelay).pass();
  for (let round = 0; round < 4; round++) await Promise.all(workers.map((each) => each.get(AutomationWorker).pass()));
  while ((await workers[0]!.get(MailDelivery).pass()) > 0);
}

/** Goes to 10:00 UTC of a day after the due date of an invoice. */
async function goTo({ dueDate }: Record<string, unknown>, days: number): Promise<void> {
  const at = Date.parse(`${String(dueDate)}T10:00:00Z`) + days * DAY_MS;
  stage.platform.clock.advance(at - stage.platform.clock.nowMs());
  await work();
}

const due = (body: object = {}) =>
  issued(tenant.api, {
    ...ISSUABLE,
    customer: { name: 'Globex Ltd', email: address },
    paymentTermsDays: DUE_IN,
    ...body,
  });
const dunningOf = async (id: string) =>
  (await tenant.api.get<{ dunning: Record<string, unknown> }>(`${INVOICES}/${id}`)).body.dunning;
const steps = async (id: string) => {
  const events = await stage.sql<{ type: string }>(
    `select type from data.events where subject_id = $1 and type like '%reminder%' order by id`,
    [id],
  );
  return events.map(({ type }) => type.replace('finance.invoice.', ''));
};

it('reminds the customer once per level, with a public link, until the last one', async () => {
  const invoice = await due();
  const nine = (days: number) =>
    `${new Date(Date.parse(`${String(invoice['dueDate'])}`) + days * DAY_MS).toISOString().slice(0, 10)}T09:00:00.000Z`;
  expect(invoice['dunning']).toMatchObject({ paused: false, level: 0, lastSentAt: null, nextAt: nine(3) });
  await goTo(invoice, 2);
  expect(mails()).toEqual([]);
  for (const [index, days] of [3, 7, 14, 30].entries()) {
    await goTo(invoice, days);
    await work();
    expect(mails()).toHaveLength(index + 1);
    const nextAt = [nine(7), nine(14), nine(30), null][index];
    expect(await dunningOf(invoice.id)).toMatchObject({ level: index + 1, nextAt, notSentReason: null });
  }
  await goTo(invoice, 100);
  expect(mails()).toHaveLength(4);
  expect(await steps(invoice.id)).toEqual(Array.from({ length: 4 }, () => 'reminder_sent'));
  const [mail] = mails();
  expect(mail!.headers['subject']).toContain(invoice.number);
  expect(mail!.text).toContain('$360.00');
});

it('links to the invoice', async () => {
  const invoice = await due();
  await goTo(invoice, 3);
  const [path] = /\/api\/public\/invoices\/\S+/.exec(mails()[0]!.text.replaceAll('=\r\n', ''))!;
  const { status, body } = await stage.platform.anonymous().get(path);
  expect({ status, body }).toMatchObject({ status: 200, body: { number: invoice.number } });
  for (const internal of ['warnings', 'dunning', 'dunningLevel']) expect(body).not.toHaveProperty(internal);
});

it('sends one reminder for all levels that passed while no worker ran', async () => {
  const invoice = await due();
  await goTo(invoice, 15);
  expect(mails()).toHaveLength(1);
  expect(await dunningOf(invoice.id)).toMatchObject({ level: 3 });
});

it.each([
  ['paid', 'pay', {}],
  ['void', 'void', { reason: 'x' }],
  ['written off', 'write-off', { reason: 'x' }],
] as const)('ends when the invoice is %s', async (_state, action, body) => {
  const invoice = await due();
  await goTo(invoice, 3);
  const answer = await act(tenant.api, invoice.id, action, body);
  expect(answer.body['dunning']).toMatchObject({ level: 1, nextAt: null });
  await goTo(invoice, 40);
  expect(mails()).toHaveLength(1);
});

it('cancels a reminder that is still unsent when the invoice is paid', async () => {
  const invoice = await due();
  smtp.refuse(450);
  await goTo(invoice, 3);
  await act(tenant.api, invoice.id, 'pay');
  smtp.refuse(null);
  await goTo(invoice, 4);
  expect(mails()).toEqual([]);
});

it('skips the levels that pass during a pause', async () => {
  const invoice = await due();
  const pause = (paused: boolean) =>
    tenant.api.patch<{ dunning: unknown }>(`${INVOICES}/${invoice.id}`, { dunning: { paused } });
  expect((await pause(true)).body.dunning).toMatchObject({ paused: true, nextAt: null });
  await goTo(invoice, 8);
  expect((await pause(false)).body.dunning).toMatchObject({ paused: false, level: 0 });
  expect(mails()).toEqual([]);
  await goTo(invoice, 14);
  expect(mails()).toHaveLength(1);
  expect(await dunningOf(invoice.id)).toMatchObject({ level: 3 });
});

it('records a reminder that it cannot send, and uses the address of the account', async () => {
  const account = await tenant.api.post<{ id: string }>('/api/v1/sales/accounts', { name: 'Globex' });
  const invoice = await due({ customer: undefined, accountId: account.body.id });
  await goTo(invoice, 3);
  expect(mails()).toEqual([]);
  expect(await dunningOf(invoice.id)).toMatchObject({ level: 1, lastSentAt: null, notSentReason: 'recipient_missing' });
  await tenant.api.patch(`/api/v1/sales/accounts/${account.body.id}`, { billingEmail: address });
  await goTo(invoice, 7);
  expect(mails()).toHaveLength(1);
  expect(await dunningOf(invoice.id)).toMatchObject({ level: 2, notSentReason: null });
  expect(await steps(invoice.id)).toEqual(['reminder_not_sent', 'reminder_sent']);
});

it('follows changes of the settings', async () => {
  const invoice = await due();
  const changed = await tenant.api.patch('/api/admin/settings', { finance: { dunningDays: [20, 5] } });
  expect(changed).toMatchObject({ status: 200, body: { finance: { dunningDays: [5, 20] } } });
  await work();
  workers = [await stage.idleWorker()]; // without the settings in its cache
  stage.platform.clock.advance(5 * 60_000);
  await work();
  await goTo(invoice, 4);
  expect(mails()).toEqual([]);
  await goTo(invoice, 5);
  expect(mails()).toHaveLength(1);
  await goTo(invoice, 20);
  expect(mails()).toHaveLength(2);
  const invalid = await tenant.api.patch('/api/admin/settings', { finance: { dunningDays: [0, 3, 3] } });
  expect(invalid.status).toBe(400);
});
