import { Browser } from '../../harness/browser.js';
import { asAdmin } from '../../harness/database.js';
import { replaceGates } from '../../harness/gates.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { auditOf, eventsOf } from '../../harness/written.js';
import { EVIL, expectHarmless, LINKS, visitsOf } from '../public/visits.js';
import { act as actOnDeal, DEALS, makeDeal } from '../sales/deal-calls.js';
import { act, acted, draft, OFFER, read, sent, type ShownProposal, TO } from './proposal-calls.js';

const platform: TestPlatform = await startPlatform({ env: { TRUSTED_PROXIES: '127.0.0.1/32' } });
afterAll(() => platform.close());

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await platform.tenant();
});
const { somewhere, get, post, submit, visit, linkTo } = visitsOf(platform, () => tenant);

const ME = { versionNumber: 1, name: 'Grace Hopper' };
const typesOf = async (id: string) => (await eventsOf(platform, tenant, id)).map(({ type }) => type);
const dealOf = async (id: string) => (await tenant.api.get<Record<string, unknown>>(`${DEALS}/${id}`)).body;

/** A sent proposal with a deal and its link. */
async function shared(
  body: object = {},
  api = tenant.api,
): Promise<{ proposal: ShownProposal; dealId: string; path: string }> {
  const { id: dealId } = await makeDeal(tenant.api, { name: 'Workshops' });
  const proposal = await sent(api, { dealId, ...body });
  return { proposal, dealId, path: await linkTo('proposal', proposal.id) };
}

describe('the page of a proposal', () => {
  it('shows it in the look of the tenant, escaped, and notes that it was opened', async () => {
    await tenant.api.patch('/api/admin/settings', { branding: { displayName: `Acme ${EVIL}` } });
    const lineItems = (OFFER['lineItems'] as object[]).map((line) => ({
      ...line,
      description: EVIL,
      unit: EVIL.slice(0, 40),
    }));
    const { proposal, path } = await shared({ name: EVIL, introduction: EVIL, terms: EVIL, lineItems });
    const head = await fetch(platform.url + path, { method: 'HEAD', headers: somewhere() });
    expect(head.status).toBe(200);
    expect(await read(tenant.api, proposal.id)).toMatchObject({ status: 'sent', viewCount: 0 });
    const page = await visit(path);
    expect(page.status).toBe(200);
    expectHarmless(page);
    expect(page.text).toContain(`<form method="post" action="${path.split('/').at(-1)!}/accept">`);
    await get(path);
    expect(await read(tenant.api, proposal.id)).toMatchObject({
      status: 'viewed',
      viewCount: 2,
      viewedAt: expect.any(String) as string,
    });
    const told = await typesOf(proposal.id);
    expect(told.filter((type) => type === 'proposals.proposal.viewed')).toHaveLength(1);
  });

  it('lets the customer choose and accept by the form alone, which wins the deal', async () => {
    const { proposal, dealId, path } = await shared();
    const [, recording, books] = proposal.lineItems;
    const browser = new Browser(somewhere());
    const { text } = await browser.open(platform.url + path);
    expect(text).toContain(`name="options" value="${recording!.id}"`);
    expect(text).toContain(`<option value="${books!.id}:5" selected>`);
    const body = `versionNumber=1&name=Grace+Hopper&email=&options=${recording!.id}&options=${books!.id}:10`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const page = await browser.open(`${platform.url}${path}/accept`, { method: 'POST', headers, body });
    expect(page.status).toBe(200);
    expectHarmless(page);
    expect(page.text).toMatch(/<dt>Accepted<\/dt><dd>[^<]*, by Grace Hopper/);
    expect(page.text).not.toContain('<form');
    expect(await read(tenant.api, proposal.id)).toMatchObject({
      status: 'accepted',
      dealOutcome: 'won',
      acceptedTotalMinor: 338_000,
      acceptance: {
        name: 'Grace Hopper',
        email: null,
        signature: 'Grace Hopper',
        ip: expect.stringMatching(/^10\.8\./) as string,
        acceptedOptions: [
          { lineId: recording!.id, quantity: 1 },
          { lineId: books!.id, quantity: 10 },
        ],
      },
    });
    expect(await dealOf(dealId)).toMatchObject({
      status: 'won',
      valueMinor: 290_000,
      acceptedProposalIds: [proposal.id],
    });
    expect((await auditOf(platform, tenant, dealId)).at(-1)).toMatchObject({
      action: 'sales.deal.won',
      actor: { type: 'system', name: 'public link' },
    });
    expect((await get(path)).body).toMatchObject({ status: 'accepted', totalMinor: 338_000, lineItems: [{}, {}, {}] });
  });

  it('refuses what is not offered, and lets optional lines out that are not named', async () => {
    const { proposal, path } = await shared();
    const [fixed, , books] = proposal.lineItems;
    for (const option of [fixed!.id, `${books!.id}:7`, tenant.id])
      expect(await post(`${path}/accept`, { ...ME, options: [option] })).toMatchObject({ status: 400 });
    expect(await post(`${path}/accept`, { ...ME, options: ['x'] })).toMatchObject({ status: 400 });
    expect(await post(`${path}/accept`, ME)).toMatchObject({
      status: 200,
      body: { netMinor: 240_000, lineItems: [{}] },
    });
  });

  it('lets the customer decline with a reason', async () => {
    const { proposal, dealId, path } = await shared();
    const browser = new Browser(somewhere());
    await browser.open(platform.url + path);
    const page = await submit(browser, `${path}/decline`, { versionNumber: '1', reason: `Too expensive ${EVIL}` });
    expect(page.status).toBe(200);
    expectHarmless(page);
    expect(await read(tenant.api, proposal.id)).toMatchObject({
      status: 'declined',
      declineReason: `Too expensive ${EVIL}`,
    });
    expect(await post(`${path}/accept`, ME)).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
    expect(await dealOf(dealId)).toMatchObject({ status: 'open' });
  });
});

describe('the acceptance of a proposal', () => {
  it('happens once, however often and from wherever it is sent at once', async () => {
    const { proposal, dealId, path } = await shared();
    const names = ['Grace', 'Ada', 'Grace', 'Alan', 'Grace', 'Ada'];
    const answers = await Promise.all(names.map((name) => post(`${path}/accept`, { ...ME, name })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    const winner = names[answers.findIndex(({ status }) => status === 200)];
    expect(await read(tenant.api, proposal.id)).toMatchObject({ acceptance: { name: winner } });
    const told = [...(await typesOf(proposal.id)), ...(await typesOf(dealId))];
    for (const type of ['proposals.proposal.accepted', 'sales.deal.won'])
      expect(told.filter((each) => each === type)).toHaveLength(1);
  });

  it('is repeated with an idempotency key without a second effect', async () => {
    const { proposal, path } = await shared();
    const key = { 'idempotency-key': `accept-${proposal.id}` };
    for (let times = 0; times < 2; times++) expect((await post(`${path}/accept`, ME, key)).status).toBe(200);
    const told = await typesOf(proposal.id);
    expect(told.filter((type) => type === 'proposals.proposal.accepted')).toHaveLength(1);
  });

  it('of two proposals of one deal at the same time wins it once', async () => {
    const { id: dealId } = await makeDeal(tenant.api, { name: 'Workshops' });
    const both = [await sent(tenant.api, { dealId }), await sent(tenant.api, { dealId })];
    const paths = await Promise.all(both.map(({ id }) => linkTo('proposal', id)));
    const answers = await Promise.all(paths.map((path) => post(`${path}/accept`, ME)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const outcomes = await Promise.all(both.map(async ({ id }) => (await read(tenant.api, id))['dealOutcome']));
    expect(outcomes.sort()).toEqual(['already_won', 'won']);
    expect((await typesOf(dealId)).filter((type) => type === 'sales.deal.won')).toHaveLength(1);
  });

  it('is refused after the last day in the time zone of the tenant, even if the worker has not noticed', async () => {
    await tenant.api.patch('/api/admin/settings', { general: { timezone: 'Pacific/Kiritimati' } });
    const today = new Date(platform.clock.nowMs() + 14 * 3_600_000).toISOString().slice(0, 10);
    const { proposal, path } = await shared({ validUntilDate: today });
    expect((await get(path)).body).toMatchObject({ status: 'open' });
    platform.clock.advance(86_400_000);
    expect(await post(`${path}/accept`, ME)).toMatchObject({ status: 409, body: { code: 'offer_expired' } });
    expect((await get(path)).body).toMatchObject({ status: 'expired' });
    expect(await act(tenant.api, proposal.id, 'accept-offline', { acceptedBy: 'Grace' })).toMatchObject({
      status: 409,
    });
  });

  it('is refused after it was withdrawn, by hand or because the deal was lost', async () => {
    const { proposal, path } = await shared();
    await acted(tenant.api, proposal.id, ['withdraw', { reason: 'Mistake' }]);
    const other = await shared();
    await actOnDeal(tenant.api, other.dealId, 'lose', { lostReason: 'price' });
    for (const each of [path, other.path]) {
      expect(await post(`${each}/accept`, ME)).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
      expect((await get(each)).body).toMatchObject({ status: 'withdrawn' });
      expect((await visit(each)).text).not.toContain('<form');
    }
    expect(await dealOf(other.dealId)).toMatchObject({ status: 'lost' });
  });

  it('keeps the lines of a deal that was won by hand, and is noted for one that is gone', async () => {
    const { proposal, dealId, path } = await shared();
    await actOnDeal(tenant.api, dealId, 'win');
    expect((await post(`${path}/accept`, ME)).status).toBe(200);
    expect(await read(tenant.api, proposal.id)).toMatchObject({ status: 'accepted', dealOutcome: 'already_won' });
    expect(await dealOf(dealId)).toMatchObject({ status: 'won', valueMinor: null, lineItems: [] });
    const other = await shared();
    expect((await tenant.api.delete(`${DEALS}/${other.dealId}`)).status).toBe(200);
    expect((await post(`${other.path}/accept`, ME)).status).toBe(200);
    expect(await read(tenant.api, other.proposal.id)).toMatchObject({ dealOutcome: 'not_open' });
  });

  it('does not win the deal if whoever sent the proposal may not win it any more', async () => {
    const ada = await platform.member(tenant, 'Ada');
    const { proposal, dealId, path } = await shared({}, ada.api);
    await asAdmin(
      platform.database,
      `update data.memberships set status = 'suspended', version = version + 1 where id = $1`,
      [ada.id],
    );
    expect(await post(`${path}/accept`, ME)).toMatchObject({ status: 200, body: { status: 'accepted' } });
    expect(await read(tenant.api, proposal.id)).toMatchObject({ status: 'accepted', dealOutcome: 'not_permitted' });
    expect(await dealOf(dealId)).toMatchObject({ status: 'open', lineItems: [] });
  });

  it('does not win the deal for a key without the right, nor past the gate deal.win', async () => {
    const scopes = ['proposals:*', 'deals:read', 'deals:write'];
    const weak = await shared({}, await platform.key(tenant, scopes));
    expect((await post(`${weak.path}/accept`, ME)).status).toBe(200);
    expect(await read(tenant.api, weak.proposal.id)).toMatchObject({ dealOutcome: 'not_permitted' });
    const ada = await platform.member(tenant, 'Ada');
    const gated = await shared({}, ada.api);
    const conditions = [{ field: 'valueMinor', op: 'gt', value: 200_000 }];
    await replaceGates(tenant.api, [{ key: 'deal.win', effect: 'require_approval', conditions }]);
    expect((await post(`${gated.path}/accept`, ME)).status).toBe(200);
    expect(await read(tenant.api, gated.proposal.id)).toMatchObject({ dealOutcome: 'gate' });
    expect(await dealOf(gated.dealId)).toMatchObject({ status: 'open' });
  });
});

describe('a new version', () => {
  it('is what the old link shows and accepts, once it is sent; only what was read can be accepted', async () => {
    const { proposal, path } = await shared();
    const { supersededById } = await acted(tenant.api, proposal.id, 'revise');
    expect((await get(path)).body).toMatchObject({ status: 'superseded', versionNumber: 1 });
    expect(await post(`${path}/accept`, ME)).toMatchObject({ status: 409 });
    await acted(tenant.api, supersededById!, 'submit', 'approve', ['send', TO]);
    expect((await get(path)).body).toMatchObject({ status: 'open', versionNumber: 2 });
    expect(await post(`${path}/accept`, ME)).toMatchObject({ status: 409, body: { code: 'stale_version' } });
    expect(await post(`${path}/decline`, { versionNumber: 1 })).toMatchObject({ status: 409 });
    expect(await post(`${path}/accept`, { ...ME, versionNumber: 2 })).toMatchObject({ status: 200 });
    expect(await read(tenant.api, supersededById!)).toMatchObject({ status: 'accepted', viewCount: 1 });
    expect(await read(tenant.api, proposal.id)).toMatchObject({ status: 'superseded' });
  });
});

describe('a link to a proposal', () => {
  it('is made by whoever may send it, while it waits for an answer', async () => {
    const { id } = await draft(tenant.api);
    const body = { purpose: 'proposal', targetId: id };
    expect(await tenant.api.post(LINKS, body)).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
    await acted(tenant.api, id, 'submit', 'approve', ['send', TO]);
    const writer = await platform.key(tenant, ['proposals:read', 'proposals:write']);
    expect(await writer.post(LINKS, body)).toMatchObject({ status: 403 });
    const other = await platform.tenant();
    expect(await other.api.post(LINKS, body)).toMatchObject({ status: 400 });
    const sender = await platform.key(tenant, ['proposals:read', 'proposals:send']);
    expect(await sender.post(LINKS, body)).toMatchObject({ status: 201 });
  });
});
