import { MailDelivery } from '#libs/mail/mail-delivery.js';
import { act, acted, draft, PROPOSALS, sent, type ShownProposal } from '../e2e/proposals/proposal-calls.js';
import { act as actOnDeal, DEALS, makeDeal } from '../e2e/sales/deal-calls.js';
import type { TestTenant } from '../harness/platform.js';
import { startSmtp } from '../harness/smtp.js';
import { inboxOf, settle } from './notifications-stage.js';
import { Stage } from './stage.js';

/** What the worker does about proposals: it mails them, ends them, tells people, and starts the handoff. */
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

const { platform } = stage;
const deliver = async () => {
  while ((await worker.get(MailDelivery).pass()) > 0);
};
const mailsTo = (to: string) => smtp.mails.filter((mail) => mail.to.includes(to));
const read = async (id: string) => (await tenant.api.get<ShownProposal>(`${PROPOSALS}/${id}`)).body;
const pathIn = (text: string) => /\/api\/public\/proposals\/\S+/.exec(text.replaceAll('=\r\n', ''))![0];
const accept = (path: string) => platform.anonymous().post(`${path}/accept`, { versionNumber: 1, name: 'Grace' });

describe('sending a proposal', () => {
  it('mails it with the message and a link that opens it, and shows what became of the mail', async () => {
    const proposal = await sent(tenant.api, {}, { to: [address], message: 'As discussed.' });
    expect(await read(proposal.id)).toMatchObject({ mailStatus: 'queued' });
    await deliver();
    const [mail, ...others] = mailsTo(address);
    expect(others).toEqual([]);
    expect(mail!.text).toMatch(/^As discussed\./);
    expect(mail!.text).toContain('2980.00 USD');
    expect(mail!.headers['subject']).toContain(proposal.number);
    expect(await read(proposal.id)).toMatchObject({ mailStatus: 'sent', status: 'sent' });
    expect(await platform.anonymous().get(pathIn(mail!.text))).toMatchObject({
      status: 200,
      body: { number: proposal.number, status: 'open' },
    });
  });

  it('goes to the contact, else to the account, and again to another address if it bounced', async () => {
    const { body: account } = await tenant.api.post<{ id: string }>('/api/v1/sales/accounts', {
      name: 'Globex',
      billingEmail: address,
    });
    const { id } = await draft(tenant.api, { accountId: account.id });
    await acted(tenant.api, id, 'submit', 'approve', 'send');
    smtp.refuse(550);
    await deliver();
    expect(await read(id)).toMatchObject({ mailStatus: 'bounced' });
    smtp.refuse(null);
    await acted(tenant.api, id, ['resend', { to: [`new.${address}`] }]);
    await deliver();
    expect(mailsTo(`new.${address}`)).toHaveLength(1);
    expect(await read(id)).toMatchObject({ mailStatus: 'sent', status: 'sent' });
  });

  it('does not happen if it is withdrawn or revised before the mail has left', async () => {
    for (const action of ['withdraw', 'revise']) {
      const { id } = await sent(tenant.api, {}, { to: [address] });
      await acted(tenant.api, id, action);
      await deliver();
      expect(await read(id)).toMatchObject({ mailStatus: 'cancelled' });
    }
    expect(mailsTo(address)).toEqual([]);
  });
});

describe('a proposal without an answer', () => {
  it('expires after its last day in the time zone of the tenant, and its owner is told', async () => {
    await tenant.api.patch('/api/admin/settings', { general: { timezone: 'Asia/Tokyo' } });
    const ada = await platform.member(tenant, 'Ada');
    const today = new Date(platform.clock.nowMs() + 9 * 3_600_000).toISOString().slice(0, 10);
    const { id } = await sent(ada.api, { validUntilDate: today }, { to: [address] });
    await settle(worker);
    expect(await read(id)).toMatchObject({ status: 'sent' });
    platform.clock.advance(86_400_000);
    await settle(worker);
    expect(await read(id)).toMatchObject({ status: 'expired' });
    expect(await act(tenant.api, id, 'accept-offline', { acceptedBy: 'Grace' })).toMatchObject({ status: 409 });
    expect((await inboxOf(ada)).map(({ title }) => title)).toContainEqual(expect.stringContaining('Proposal expired'));
  });
});

describe('the acceptance of a proposal', () => {
  async function shared(api = tenant.api): Promise<{ id: string; dealId: string; path: string }> {
    const { body: account } = await tenant.api.post<{ id: string }>('/api/v1/sales/accounts', { name: 'Globex' });
    const { id: dealId } = await makeDeal(tenant.api, { name: 'Workshops', accountId: account.id });
    const { id } = await sent(api, { dealId }, { to: [address] });
    await deliver();
    return { id, dealId, path: pathIn(mailsTo(address).at(-1)!.text) };
  }

  it('starts the handoff like a deal that is won by hand, and makes the account a customer', async () => {
    await tenant.api.patch('/api/admin/settings', { sales: { autoHandoff: true } });
    const [offered, byHand] = [await shared(), await shared()];
    expect((await accept(offered.path)).status).toBe(200);
    await actOnDeal(tenant.api, byHand.dealId, 'win');
    await settle(worker);
    for (const { dealId } of [offered, byHand]) {
      const handoffs = await tenant.api.get<{ data: object[] }>(`/api/admin/sales-handoff?dealId=${dealId}`);
      expect(handoffs.body.data).toHaveLength(1);
      const { accountId } = (await tenant.api.get<{ accountId: string }>(`${DEALS}/${dealId}`)).body;
      expect((await tenant.api.get(`/api/v1/sales/accounts/${accountId}`)).body).toMatchObject({
        lifecycle: 'active',
        roles: ['customer'],
      });
    }
  });

  it('is told to the owner, and what is left to do also to those who may win the deal', async () => {
    const [ada, boss] = [await platform.member(tenant, 'Ada'), await platform.member(tenant, 'Boss')];
    const { id, dealId, path } = await shared(ada.api);
    await platform.anonymous().get(path);
    await settle(worker);
    expect((await inboxOf(ada)).map(({ title }) => title)).toContainEqual(expect.stringContaining('Proposal opened'));
    await stage.sql(`update data.memberships set status = 'suspended', version = version + 1 where id = $1`, [ada.id]);
    expect((await accept(path)).status).toBe(200);
    await settle(worker);
    expect(await read(id)).toMatchObject({ status: 'accepted', dealOutcome: 'not_permitted' });
    const told = (await inboxOf(boss)).find(({ subject }) => subject?.id === id);
    expect(told).toMatchObject({
      kind: 'assignment',
      title: expect.stringContaining('Proposal accepted') as string,
      body: expect.stringMatching(/^By Grace\. .*win it by hand/) as string,
    });
    await actOnDeal(boss.api, dealId, 'win');
    expect((await tenant.api.get(`${DEALS}/${dealId}`)).body).toMatchObject({ acceptedProposalIds: [id] });
  });
});
