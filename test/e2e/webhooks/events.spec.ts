import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import type { TestTenant } from '../../harness/platform.js';
import { Stage } from '../../worker/stage.js';

let stage: Stage;
let relay: EventRelay;
beforeAll(async () => {
  stage = await Stage.open();
  relay = (await stage.idleWorker()).get(EventRelay);
});
afterAll(() => stage.close());

interface Event {
  id: string;
  type: string;
  sequence: string;
  subject: { id: string };
}
interface Page {
  data: Event[];
  page: { limit: number; hasMore: boolean; nextAfter: string };
}

const read = (tenant: TestTenant, query = '') => tenant.api.get<Page>(`/api/webhooks/events${query}`);
const sequences = ({ body }: { body: Page }) => body.data.map(({ sequence }) => sequence);

/** A tenant with deals whose events are numbered. */
async function withDeals(count: number): Promise<{ tenant: TestTenant; ids: string[] }> {
  const tenant = await stage.platform.tenant();
  const ids: string[] = [];
  for (let each = 0; each < count; each++) ids.push(await stage.deal(tenant));
  await relay.dispatch(tenant.id);
  return { tenant, ids };
}

/** All events after a position, read in pages of the given sizes. */
async function readAll(tenant: TestTenant, limit: number, more = ''): Promise<{ events: Event[]; last: string }> {
  const events: Event[] = [];
  for (let after = ''; ;) {
    const { body } = await read(tenant, `?limit=${limit}${after && `&after=${after}`}${more}`);
    events.push(...body.data);
    after = body.page.nextAfter;
    if (!body.page.hasMore) return { events, last: after };
  }
}

describe('the events of a tenant', () => {
  it('are returned in order, each once, in pages of any size', async () => {
    const { tenant } = await withDeals(5);
    const whole = await read(tenant);
    expect(whole.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const numbers = sequences(whole);
    expect(numbers).toEqual(numbers.map((_, index) => String(index + 1)));
    expect(whole.body.page).toEqual({ limit: 50, hasMore: false, nextCursor: null, nextAfter: numbers.at(-1) });
    for (const limit of [1, 2, 3, numbers.length]) {
      const { events, last } = await readAll(tenant, limit);
      expect(events.map(({ sequence }) => sequence)).toEqual(numbers);
      expect(last).toBe(numbers.at(-1));
    }
  });

  it('are identical to deliveries, byte for byte', async () => {
    const tenant = await stage.platform.tenant();
    const receiver = await stage.receiver();
    const endpoint = await stage.endpoint(tenant, receiver.url);
    await stage.deal(tenant);
    const worker = await stage.worker();
    await stage.statuses(endpoint, ['delivered']);
    await worker.close();
    const answer = await read(tenant, '?eventTypes=sales.deal.*');
    expect(answer.text).toContain(receiver.received[0]!.body);
    expect(sequences(answer)).toEqual([receiver.received[0]!.event.sequence]);
  });

  it('can be paginated by cursor, which keeps the type filter', async () => {
    const { tenant } = await withDeals(3);
    const first = (await read(tenant, '?limit=2')).body;
    const { nextCursor, nextAfter } = first.page as typeof first.page & { nextCursor: string };
    expect(sequences(await read(tenant, `?limit=2&cursor=${nextCursor}`))).toEqual(['3', '4']);
    const get = (query: string) => tenant.api.get(`/api/webhooks/events?cursor=${nextCursor}${query}`);
    expect(await get('&eventTypes=sales.*')).toMatchObject({ status: 400, body: { code: 'cursor_invalid' } });
    expect(await get(`&after=${nextAfter}`)).toMatchObject({ status: 400, body: { errors: [{ code: 'ambiguous' }] } });
  });

  it('are returned only once they are numbered', async () => {
    const { tenant } = await withDeals(1);
    const { page } = (await read(tenant)).body;
    const nothing = await read(tenant, `?after=${page.nextAfter}`);
    expect(nothing.body).toEqual({ data: [], page: { ...page, hasMore: false } });
    await stage.deal(tenant);
    expect(sequences(await read(tenant, `?after=${page.nextAfter}`))).toEqual([]);
    await relay.dispatch(tenant.id);
    expect(sequences(await read(tenant, `?after=${page.nextAfter}`))).toEqual([String(Number(page.nextAfter) + 1)]);
  });

  it('can be filtered by type; the position advances past the others', async () => {
    const { tenant, ids } = await withDeals(3);
    await tenant.api.post(`/api/v1/sales/deals/${ids[1]}/win`);
    await relay.dispatch(tenant.id);
    const all = (await read(tenant)).body;
    for (const [types, kinds] of [
      ['sales.deal.won', ['sales.deal.won']],
      ['sales.deal.*', ['sales.deal.created', 'sales.deal.won']],
      ['*', null],
    ] as const) {
      const expected = all.data.filter(({ type }) => kinds === null || (kinds as readonly string[]).includes(type));
      const { events, last } = await readAll(tenant, 2, `&eventTypes=${types}`);
      expect(events).toEqual(expected);
      expect(last).toBe(all.page.nextAfter);
    }
    const unknown = await read(tenant, '?eventTypes=sales.nothing');
    expect(unknown).toMatchObject({
      status: 400,
      body: { errors: [{ parameter: 'eventTypes', code: 'unknown_event_type' }] },
    });
  });

  it('that were deleted return 410 with the position to continue from', async () => {
    const { tenant } = await withDeals(4);
    const all = (await read(tenant)).body.data;
    const drop = (where: string) =>
      stage.sql(
        `with gone as (delete from data.event_numbers where tenant_id = $1 and ${where} returning event_id)
         delete from data.events where tenant_id = $1 and id in (select event_id from gone)`,
        [tenant.id],
      );
    await drop('sequence <= 2');
    for (const after of ['0', '1']) {
      const gone = await tenant.api.get<{ nextAfter: string }>(`/api/webhooks/events?after=${after}`);
      expect(gone).toMatchObject({ status: 410, body: { code: 'events_expired', nextAfter: '2' } });
      const rest = await read(tenant, `?after=${gone.body.nextAfter}`);
      expect(rest.body.data).toEqual(all.slice(2));
    }
    expect((await read(tenant)).body.data).toEqual(all.slice(2));
    // Deleted events in the middle are a gap too, even with a type filter.
    await drop('sequence = 4');
    for (const types of ['', '&eventTypes=*']) {
      expect(sequences(await read(tenant, `?after=2${types}`))).toEqual(['3']);
      if (all.length > 4)
        expect(await tenant.api.get(`/api/webhooks/events?after=3${types}`)).toMatchObject({
          status: 410,
          body: { code: 'events_expired', nextAfter: '4' },
        });
    }
    await drop('true');
    const last = String(all.length);
    expect(await tenant.api.get('/api/webhooks/events?after=2')).toMatchObject({
      status: 410,
      body: { nextAfter: last },
    });
    expect((await read(tenant)).body).toMatchObject({ data: [], page: { nextAfter: last } });
  });

  it('have no position after the last one', async () => {
    const { tenant } = await withDeals(1);
    for (const after of ['999999', '999999999999999999'])
      expect(await tenant.api.get(`/api/webhooks/events?after=${after}`)).toMatchObject({
        status: 400,
        body: { errors: [{ parameter: 'after', code: 'out_of_range' }] },
      });
    for (const after of ['-1', '1.5', '0x1', '9999999999999999999', ''])
      expect((await tenant.api.get(`/api/webhooks/events?after=${after}`)).status).toBe(400);
  });

  it('exclude other tenants', async () => {
    await withDeals(2);
    const stranger = await stage.platform.tenant();
    expect((await read(stranger)).body).toEqual({
      data: [],
      page: { limit: 50, hasMore: false, nextCursor: null, nextAfter: '0' },
    });
    const deals = await stage.platform.key(stranger, ['deals:read']);
    expect((await deals.get('/api/webhooks/events')).status).toBe(403);
  });
});
