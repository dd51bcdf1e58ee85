import { MailDelivery } from '#libs/mail/mail-delivery.js';
import { act, draft, INVOICES, ISSUABLE, issued } from '../e2e/finance/invoice-calls.js';
import type { TestTenant } from '../harness/platform.js';
import { startSmtp } from '../harness/smtp.js';
import { Stage } from './stage.js';

const smtp = await startSmtp();
const stage = await Stage.open({ SMTP_URL: smtp.url, MAIL_FROM: 'no-reply@platform.example' });
const worker = await stage.idleWorker();
afterAll(async () => {
  await stage.close();
  await smtp.close();
});

let tenant: TestTenant;
let address: string;
beforeEach(async () => {
  tenant = await stage.platform.tenant();
  address = `${tenant.slug}@globex.example`;
});
afterEach(() => smtp.refuse(null));

const deliver = async () => {
  while ((await worker.get(MailDelivery).pass()) > 0);
};
const mailsTo = (to: string) => smtp.mails.filter((mail) => mail.to.includes(to));
const textOf = (to: string) => mailsTo(to).map(({ text }) => text.replaceAll('=\r\n', ''));
const statusOf = async (id: string) =>
  (await tenant.api.get<{ mailStatus: string | null }>(`${INVOICES}/${id}`)).body.mailStatus;
const body = () => ({ ...ISSUABLE, customer: { name: 'Globex Ltd', email: address } });

describe('sending an invoice', () => {
  it('mails it to its customer, with the message and a public link that opens it', async () => {
    const invoice = await issued(tenant.api, body());
    expect(await statusOf(invoice.id)).toBeNull();
    const sent = await act(tenant.api, invoice.id, 'send', { message: 'Thank you for your business.' });
    expect(sent).toMatchObject({ status: 200, body: { sentTo: [address] } });
    expect(await statusOf(invoice.id)).toBe('queued');
    await deliver();
    const [text, ...others] = textOf(address);
    expect(others).toEqual([]);
    expect(text).toMatch(/^Thank you for your business\./);
    expect(text).toContain('360.00 USD');
    expect(mailsTo(address)[0]!.headers['subject']).toContain(invoice.number);
    const [path] = /\/api\/public\/invoices\/\S+/.exec(text!)!;
    const opened = await stage.platform.anonymous().get(path);
    expect(opened).toMatchObject({ status: 200, body: { number: invoice.number } });
    expect(await statusOf(invoice.id)).toBe('sent');
  });

  it('mails each of the recipients that are named, and nobody else', async () => {
    const invoice = await issued(tenant.api, body());
    const to = ['one', 'two'].map((name) => `${name}.${address}`);
    await act(tenant.api, invoice.id, 'send', { to });
    await deliver();
    expect(to.map((each) => mailsTo(each).length)).toEqual([1, 1]);
    expect(mailsTo(address)).toEqual([]);
  });

  it('attaches its electronic form, if the tenant issues one', async () => {
    const legalEntity = { legalName: 'Acme GmbH', taxId: 'DE123456789' };
    const eInvoice = { format: 'factur_x', address: { country: 'DE' } };
    await tenant.api.patch('/api/admin/settings', { finance: { legalEntity, eInvoice } });
    const customer = { name: 'Globex Ltd', email: address, address: { country: 'FR' } };
    const invoice = await issued(tenant.api, { ...ISSUABLE, customer });
    await act(tenant.api, invoice.id, 'send');
    await deliver();
    const [attached] = mailsTo(address)[0]!.parts.filter(({ type }) => type.startsWith('application/xml'));
    expect(attached!.type).toContain(`name=${invoice.number}.xml`);
    expect(attached!.content.toString()).toContain(`<ram:ID>${invoice.number}</ram:ID>`);
  });

  it('happens once with its issue, also if the request is repeated', async () => {
    const { id } = await draft(tenant.api, body());
    const key = { 'idempotency-key': `issue-${id}` };
    for (let times = 0; times < 2; times++)
      expect((await tenant.api.post(`${INVOICES}/${id}/issue`, { send: true }, key)).status).toBe(200);
    await deliver();
    expect(mailsTo(address)).toHaveLength(1);
  });

  it('needs no right to manage public links, but the right to send', async () => {
    const invoice = await issued(tenant.api, body());
    const scopes = ['invoices:read', 'invoices:write'];
    const reader = await stage.platform.key(tenant, scopes);
    expect((await act(reader, invoice.id, 'send', {})).status).toBe(403);
    const sender = await stage.platform.key(tenant, [...scopes, 'invoices:send']);
    expect((await act(sender, invoice.id, 'send', {})).status).toBe(200);
    await deliver();
    expect(mailsTo(address)).toHaveLength(1);
  });

  it('shows that the server refuses the address', async () => {
    const invoice = await issued(tenant.api, body());
    await act(tenant.api, invoice.id, 'send', {});
    smtp.refuse(550);
    await deliver();
    expect(await statusOf(invoice.id)).toBe('bounced');
  });

  it('is not undone by a payment that arrives before the mail has left', async () => {
    const invoice = await issued(tenant.api, body());
    await act(tenant.api, invoice.id, 'send', {});
    await act(tenant.api, invoice.id, 'pay', {});
    await deliver();
    expect(mailsTo(address)).toHaveLength(1);
  });
});
