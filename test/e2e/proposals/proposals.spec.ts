import { replaceGates } from '../../harness/gates.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { eventsOf } from '../../harness/written.js';
import { faultsOf } from '../finance/invoice-calls.js';
import { act as actOnDeal, DEALS, makeDeal } from '../sales/deal-calls.js';
import { act, acted, draft, OFFER, PROPOSALS, read, sent, type ShownProposal, TO } from './proposal-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const approvals = '/api/home/approvals';
const gate = (more: object = {}) => ({ key: 'proposal.send', effect: 'require_approval', ...more });
const deal = (body: object = {}) => makeDeal(tenant.api, { name: 'Workshops', ...body });

describe('a draft', () => {
  it('has the number of the series, and the sums of what is selected in advance', async () => {
    const made = await draft(tenant.api);
    expect(made).toMatchObject({
      number: made.reference,
      versionNumber: 1,
      status: 'draft',
      netMinor: 250_000,
      taxMinor: 48_000,
      totalMinor: 298_000,
      marginMinor: null,
      lineItems: [
        { isOptional: false, isSelected: true, quantityChoices: [] },
        { isOptional: true, isSelected: false, totalMinor: 30_000 },
        { isOptional: true, isSelected: true, quantity: 5, quantityChoices: [5, 10] },
      ],
    });
    expect(made.reference).toMatch(/^PROP-\d{6}$/);
  });

  it('takes account, contact, currency and lines from its deal', async () => {
    const { body: account } = await tenant.api.post<{ id: string }>('/api/v1/sales/accounts', { name: 'Globex' });
    const lineItems = [{ description: 'Seats', quantity: 10, unitPriceMinor: 1_000 }];
    const { id: dealId } = await deal({ currency: 'EUR', accountId: account.id, lineItems });
    const made = await draft(tenant.api, { dealId, lineItems: undefined });
    expect(made).toMatchObject({ dealId, accountId: account.id, currency: 'EUR', totalMinor: 10_000 });
    const other = await tenant.api.post(PROPOSALS, { ...OFFER, dealId, currency: 'USD' });
    expect(other).toMatchObject({ status: 409, body: { code: 'currency_mismatch' } });
    expect(await tenant.api.post(PROPOSALS, { ...OFFER, dealId: tenant.id })).toMatchObject({ status: 400 });
  });

  it('refuses a quantity that is not among the choices, and a line of another proposal', async () => {
    const line = { description: 'Books', quantity: 7, quantityChoices: [5, 10], unitPriceMinor: 1 };
    const answer = await tenant.api.post(PROPOSALS, { lineItems: [line] });
    expect(faultsOf(answer)).toEqual(['/lineItems/0/quantity invalid_value']);
    const other = await draft(tenant.api);
    const { id } = await draft(tenant.api);
    const foreign = await tenant.api.patch(`${PROPOSALS}/${id}`, {
      lineItems: other.lineItems.map((each) => ({ id: each.id, description: 'X', unitPriceMinor: 1 })),
    });
    expect(faultsOf(foreign)[0]).toBe('/lineItems/0/id unknown_line');
  });

  it('shows the margin if the cost of all selected products is known', async () => {
    const { body: product } = await tenant.api.post<{ id: string }>('/api/v1/sales/products', {
      name: 'Seat',
      unitPriceMinor: 1_000,
      costMinor: 400,
    });
    const line = { productId: product.id, description: 'Seat', quantity: 10, unitPriceMinor: 1_000 };
    const option = { description: 'Help', unitPriceMinor: 500, isOptional: true };
    const made = await draft(tenant.api, { lineItems: [line, option] });
    expect(made).toMatchObject({ marginMinor: 6_000, marginPercent: 60, lineItems: [{ unitCostMinor: 400 }, {}] });
    // It stays what it was when the line was written.
    await tenant.api.patch(`/api/v1/sales/products/${product.id}`, { costMinor: null });
    const renamed = await tenant.api.patch(`${PROPOSALS}/${made.id}`, { taxInclusive: true });
    expect(renamed).toMatchObject({ status: 200, body: { marginPercent: 60 } });
  });
});

describe('the way to the customer', () => {
  it('is submission, approval and sending, after which nothing of the content changes', async () => {
    const { id } = await draft(tenant.api);
    expect(await act(tenant.api, id, 'approve')).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
    expect(await act(tenant.api, id, 'send', TO)).toMatchObject({ status: 409 });
    await acted(tenant.api, id, 'submit');
    expect(await tenant.api.patch(`${PROPOSALS}/${id}`, { terms: 'New' })).toMatchObject({
      status: 409,
      body: { code: 'record_locked' },
    });
    await acted(tenant.api, id, 'approve');
    expect(await act(tenant.api, id, 'send')).toMatchObject({ status: 409, body: { code: 'recipient_missing' } });
    expect(await acted(tenant.api, id, ['send', TO])).toMatchObject({
      status: 'sent',
      sentTo: TO['to'],
      mailStatus: null,
    });
    const { publicLink, ...shown } = await read(tenant.api, id);
    expect(shown).toMatchObject({ status: 'sent', mailStatus: 'queued' });
    const { id: linkId } = publicLink as { id: string };
    expect(publicLink).toMatchObject({ status: 'active' });
    await tenant.api.post(`/api/settings/public-links/${linkId}/revoke`);
    expect(await read(tenant.api, id)).toMatchObject({ publicLink: { id: linkId, status: 'revoked' } });
    expect(await tenant.api.patch(`${PROPOSALS}/${id}`, { tags: ['hot'] })).toMatchObject({ status: 200 });
    expect(await tenant.api.delete(`${PROPOSALS}/${id}`)).toMatchObject({ status: 409 });
    const told = (await eventsOf(platform, tenant, id)).map(({ type }) => type.replace('proposals.proposal.', ''));
    expect(told).toEqual(['created', 'submitted', 'approved', 'sent', 'updated']);
  });

  it('needs lines, a total that is not negative, and a last day that has not passed', async () => {
    const empty = await draft(tenant.api, { lineItems: [] });
    expect(await act(tenant.api, empty.id, 'submit')).toMatchObject({ status: 409, body: { code: 'lines_missing' } });
    const negative = await draft(tenant.api, { lineItems: [{ description: 'Refund', unitPriceMinor: -1 }] });
    expect(await act(tenant.api, negative.id, 'submit')).toMatchObject({
      status: 409,
      body: { code: 'total_negative' },
    });
    const old = await draft(tenant.api, { validUntilDate: '2020-01-01' });
    expect(await act(tenant.api, old.id, 'submit')).toMatchObject({ status: 409, body: { code: 'offer_expired' } });
  });

  it('is closed to whoever lacks the permissions of its steps', async () => {
    const writer = await platform.key(tenant, ['proposals:read', 'proposals:write']);
    const { id } = await draft(writer);
    await acted(writer, id, 'submit');
    expect(await act(writer, id, 'approve')).toMatchObject({ status: 403 });
    await acted(await platform.key(tenant, ['proposals:read', 'proposals:approve']), id, 'approve');
    expect(await act(writer, id, 'send', TO)).toMatchObject({ status: 403 });
    const sender = await platform.key(tenant, ['proposals:read', 'proposals:send']);
    expect(await acted(sender, id, ['send', TO])).toMatchObject({ status: 'sent' });
  });

  it('is closed for a blocked account, and for a deal that is not open', async () => {
    const { body: account } = await tenant.api.post<{ id: string }>('/api/v1/sales/accounts', { name: 'Globex' });
    const { id } = await draft(tenant.api, { accountId: account.id });
    await acted(tenant.api, id, 'submit', 'approve');
    await tenant.api.post(`/api/v1/sales/accounts/${account.id}/block`, { reason: 'Late' });
    expect(await act(tenant.api, id, 'send', TO)).toMatchObject({ status: 409, body: { code: 'account_blocked' } });
    const { id: dealId } = await deal();
    const other = await draft(tenant.api, { dealId });
    await acted(tenant.api, other.id, 'submit', 'approve');
    await actOnDeal(tenant.api, dealId, 'win');
    expect(await act(tenant.api, other.id, 'send', TO)).toMatchObject({ status: 409 });
  });
});

describe('the gate proposal.send', () => {
  const member = (name: string) => platform.member(tenant, name);

  it('lets a second person decide on what its conditions name, once for approval and sending', async () => {
    await replaceGates(tenant.api, [gate({ conditions: [{ field: 'maxDiscountPercent', op: 'gt', value: 10 }] })]);
    const small = await draft(tenant.api);
    await acted(tenant.api, small.id, 'submit', 'approve');
    const [ada, ben] = [await member('Ada'), await member('Ben')];
    const [line] = OFFER['lineItems'] as object[];
    const { id } = await draft(ada.api, { lineItems: [{ ...line, discountPercent: 20 }] });
    await acted(ada.api, id, 'submit');
    const parked = await act(ada.api, id, 'approve');
    expect(parked).toMatchObject({ status: 202, body: { record: { status: 'pending_approval' } } });
    const { id: approval } = parked.body['approval'] as { id: string };
    expect(await ada.api.post(`${approvals}/${approval}/approve`)).toMatchObject({ status: 403 });
    expect(await ben.api.post(`${approvals}/${approval}/approve`)).toMatchObject({ status: 200 });
    expect(await read(ada.api, id)).toMatchObject({ status: 'approved' });
    expect(await act(ada.api, id, 'send', TO)).toMatchObject({ status: 200, body: { status: 'sent' } });
  });

  it('asks at the sending again if it was set after the approval', async () => {
    const ada = await member('Ada');
    const { id } = await draft(ada.api);
    await acted(ada.api, id, 'submit', 'approve');
    await replaceGates(tenant.api, [gate({ conditions: [{ field: 'totalMinor', op: 'gte', value: 298_000 }] })]);
    expect(await act(ada.api, id, 'send', TO)).toMatchObject({ status: 202 });
    await replaceGates(tenant.api, [
      gate({ effect: 'deny', conditions: [{ field: 'marginPercent', op: 'eq', value: null }] }),
    ]);
    expect(await act(ada.api, id, 'send', TO)).toMatchObject({ status: 403, body: { code: 'gate_denied' } });
  });
});

describe('a revision', () => {
  it('replaces the version by a draft of the next one, with the same number', async () => {
    const first = await sent(tenant.api);
    const old = await acted(tenant.api, first.id, 'revise');
    expect(old).toMatchObject({ status: 'superseded' });
    const next = await read(tenant.api, old.supersededById!);
    expect(next).toMatchObject({
      status: 'draft',
      versionNumber: 2,
      number: first.number,
      reference: `${first.number}-2`,
      totalMinor: first.totalMinor,
      sentAt: null,
    });
    expect(await act(tenant.api, first.id, 'revise')).toMatchObject({ status: 409 });
    expect(await act(tenant.api, first.id, 'accept-offline', { acceptedBy: 'Grace' })).toMatchObject({ status: 409 });
    const { body } = await tenant.api.get<{ data: ShownProposal[] }>(
      `${PROPOSALS}?number=${first.number}&sort=createdAt`,
    );
    expect(body.data.map(({ versionNumber }) => versionNumber)).toEqual([1, 2]);
    const told = (await eventsOf(platform, tenant, first.id)).map(({ type }) => type);
    expect(told.at(-1)).toBe('proposals.proposal.superseded');
  });
});

describe('a deal', () => {
  it('that is lost withdraws what could still be accepted', async () => {
    const { id: dealId } = await deal();
    const [open, waiting] = [await sent(tenant.api, { dealId }), await draft(tenant.api, { dealId })];
    await actOnDeal(tenant.api, dealId, 'lose', { lostReason: 'price' });
    for (const { id } of [open, waiting]) expect(await read(tenant.api, id)).toMatchObject({ status: 'withdrawn' });
    expect(await act(tenant.api, open.id, 'accept-offline', { acceptedBy: 'Grace' })).toMatchObject({ status: 409 });
  });

  it('keeps its currency once a proposal was sent', async () => {
    const { id: dealId } = await deal();
    await draft(tenant.api, { dealId });
    expect(await tenant.api.patch(`${DEALS}/${dealId}`, { currency: 'EUR' })).toMatchObject({ status: 200 });
    await tenant.api.patch(`${DEALS}/${dealId}`, { currency: 'USD' });
    await sent(tenant.api, { dealId });
    expect(await tenant.api.patch(`${DEALS}/${dealId}`, { currency: 'EUR' })).toMatchObject({
      status: 409,
      body: { code: 'record_locked' },
    });
    expect(await tenant.api.patch(`${DEALS}/${dealId}`, { name: 'Other', currency: 'USD' })).toMatchObject({
      status: 200,
    });
  });

  it('is won with what was accepted, names the proposal, and cannot be deleted after it was opened again', async () => {
    const { id: dealId } = await deal({ value: 10 });
    const { id, lineItems } = await sent(tenant.api, { dealId });
    const options = [{ lineId: lineItems[1]!.id }, { lineId: lineItems[2]!.id, quantity: 10 }];
    const accepted = await acted(tenant.api, id, ['accept-offline', { acceptedBy: 'Grace', options }]);
    expect(accepted).toMatchObject({
      status: 'accepted',
      dealOutcome: 'won',
      acceptedNetMinor: 290_000,
      acceptedTotalMinor: 338_000,
      acceptance: {
        name: 'Grace',
        ip: null,
        acceptedOptions: [
          { lineId: lineItems[1]!.id, quantity: 1 },
          { lineId: lineItems[2]!.id, quantity: 10 },
        ],
      },
    });
    const { body: won } = await tenant.api.get<Record<string, unknown>>(`${DEALS}/${dealId}`);
    expect(won).toMatchObject({ status: 'won', valueMinor: 290_000, acceptedProposalIds: [id] });
    expect(won['lineItems']).toMatchObject([{ quantity: 2 }, { quantity: 1 }, { quantity: 10 }]);
    await actOnDeal(tenant.api, dealId, 'reopen', { reason: 'Mistake' });
    const removal = await tenant.api.delete(`${DEALS}/${dealId}`);
    expect(removal).toMatchObject({ status: 409, body: { code: 'record_locked' } });
    expect(await tenant.api.delete(`${PROPOSALS}/${id}`)).toMatchObject({ status: 409 });
  });

  it('is not won by somebody who may not, nor past its gate', async () => {
    const { id: dealId } = await deal();
    const { id } = await sent(tenant.api, { dealId });
    const sender = await platform.key(tenant, ['proposals:read', 'proposals:send', 'deals:read']);
    const by = { acceptedBy: 'Grace' };
    expect(await act(sender, id, 'accept-offline', by)).toMatchObject({ status: 403 });
    await replaceGates(tenant.api, [{ key: 'deal.win', effect: 'deny' }]);
    const ada = await platform.member(tenant, 'Ada');
    expect(await acted(ada.api, id, ['accept-offline', by])).toMatchObject({ status: 'accepted', dealOutcome: 'gate' });
    expect((await tenant.api.get(`${DEALS}/${dealId}`)).body).toMatchObject({ status: 'open', valueMinor: null });
  });

  it('refuses options that are not offered', async () => {
    const { id, lineItems } = await sent(tenant.api);
    const options = [{ lineId: lineItems[0]!.id }, { lineId: lineItems[2]!.id, quantity: 7 }];
    const answer = await act(tenant.api, id, 'accept-offline', { acceptedBy: 'Grace', options });
    expect(faultsOf(answer)).toEqual(['/options/0/lineId unknown_line', '/options/1/quantity invalid_value']);
  });
});
