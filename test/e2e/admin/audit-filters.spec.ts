import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { itemsOf, verifyExport } from '../../../verify/audit.mjs';

const LOG = '/api/admin/audit-logs';
const DEALS = '/api/v1/sales/deals';

interface Entry {
  action: string;
  requestId: string;
  correlationId: string | null;
  workspaceId: string | null;
  target: { id: string; name: string | null } | null;
}

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform({ env: { TRUSTED_PROXIES: '127.0.0.1/32' } });
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

const deal = async (body: object) => String((await tenant.api.post(DEALS, body)).body['id']);
const found = async (query: string) => (await tenant.api.get<{ data: Entry[] }>(`${LOG}?${query}`)).body.data;
const targets = async (query: string) => [...new Set((await found(query)).map(({ target }) => target?.id))];

async function exported(query: string): Promise<string> {
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  const span = `from=${at(-86_400_000)}&to=${at(86_400_000)}&format=ndjson`;
  const headers = { 'x-api-key': tenant.apiKey };
  return (await fetch(`${platform.url}${LOG}/export?${span}&${query}`, { headers })).text();
}

describe('the audit log', () => {
  it('is searched by words of the action, the name of the target, the reason and the actor', async () => {
    const acme = await deal({ name: 'ACME Renewal' });
    await deal({ name: 'Globex' });
    await tenant.api.post(`${DEALS}/${acme}/lose`, { lostReason: 'Chose another vendor' });
    expect(await targets('q=acme&targetType=sales.deal')).toEqual([acme]);
    expect(await targets('q=RENEW&action=sales.deal.created')).toEqual([acme]);
    expect(await targets('q=deal%20created%20acme')).toEqual([acme]);
    expect((await found('q=test')).length).toBeGreaterThan(0); // the name of the key
    expect(await found('q=nowhere')).toEqual([]);
    expect(await found('q=%21%21')).toEqual([]);
  });

  it('is filtered by workspace, and shows the workspace of each target', async () => {
    const { body: workspace } = await tenant.api.post('/api/admin/workspaces', { name: 'North' });
    const workspaceId = String(workspace['id']);
    const inside = await deal({ name: 'Inside', workspaceId });
    await deal({ name: 'Outside' });
    expect(await targets(`workspaceId=${workspaceId}&targetType=sales.deal`)).toEqual([inside]);
    expect((await found(`targetId=${inside}`))[0]).toMatchObject({ workspaceId });
    expect((await found('q=outside&targetType=sales.deal'))[0]).toMatchObject({ workspaceId: null });
  });

  it('is filtered by correlation id, which outside of automations is that of the request', async () => {
    const id = await deal({ name: 'Acme' });
    const [entry] = await found(`targetId=${id}`);
    expect(entry!.correlationId).toBe(entry!.requestId);
    expect(await targets(`correlationId=${entry!.correlationId}&targetType=sales.deal`)).toEqual([id]);
  });

  it('is filtered by address in any spelling, and by network', async () => {
    const sent = async (from: string) => {
      const { body } = await tenant.api.post(DEALS, { name: 'From afar' }, { 'x-forwarded-for': from });
      return String(body['id']);
    };
    const [ipv4, ipv6] = [await sent('203.0.113.7:51234'), await sent('[2001:DB8:0:0:0:0:0:7]:443')];
    const ofDeals = async (ip: string) => (await targets(`targetType=sales.deal&ip=${ip}`)).toSorted();
    for (const ip of ['203.0.113.7', '::ffff:203.0.113.7', '203.0.113.0/24', '203.0.113.7/32'])
      expect([ip, await ofDeals(ip)]).toEqual([ip, [ipv4]]);
    for (const ip of ['2001:db8::7', '2001:0DB8:0:0:0:0:0:7', '2001:db8::/32'])
      expect([ip, await ofDeals(ip)]).toEqual([ip, [ipv6]]);
    for (const ip of ['203.0.114.0/24', '::/64', '10.0.0.1']) expect(await ofDeals(ip)).toEqual([]);
    expect(await exported('ip=203.0.113.0/24&targetType=sales.deal')).toContain(ipv4);
    expect((await found(`targetId=${ipv6}`))[0]).toMatchObject({ clientIp: '2001:db8::7' });
  });

  it('finds addresses as older versions recorded them', async () => {
    const id = await deal({ name: 'Older' });
    await asAdmin(
      platform.database,
      `set session_replication_role = replica;
       update data.audit_log set client_ip = '::ffff:198.51.100.9' where target_id = '${id}'`,
    );
    expect(await targets('ip=198.51.100.9')).toEqual([id]);
    expect(await targets('ip=198.51.100.0/24')).toEqual([id]);
  });

  it.each([
    ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'from', 'out_of_range'],
    ['from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'from', 'out_of_range'],
    ...['q', 'actorId', 'actorType', 'action', 'targetType', 'targetId', 'requestId', 'correlationId', 'ip'].map(
      (parameter) => [`${parameter}=`, parameter, 'too_short'] as const,
    ),
    ...['garbage', '999.1.1.1', '203.0.113.7:80', '203.0.113.0/33'].map(
      (ip) => [`ip=${ip}`, 'ip', 'invalid_network'] as const,
    ),
    ['workspaceId=', 'workspaceId', 'invalid_id'],
    ['outcome=', 'outcome', 'invalid_value'],
  ] as const)('is not filtered by %s', async (query, parameter, code) => {
    const { status, body } = await tenant.api.get(`${LOG}?${query}`);
    expect([status, body['code']]).toEqual([400, 'validation_failed']);
    expect(body['errors']).toMatchObject([{ parameter, code }]);
  });

  it('is exported with these filters in a form that can be verified', async () => {
    await deal({ name: 'Acme' });
    await deal({ name: 'Globex' });
    const keys = (await platform.anonymous().get<{ keys: object[] }>('/api/public/keys')).body;
    const file = await exported('q=globex');
    expect(await verifyExport(itemsOf([Buffer.from(file)]), keys)).toMatch(/^OK: 1 entries/);
  });

  it('finds nothing by erased words, and stays verified', async () => {
    const id = await deal({ name: 'Zwiebelfisch' });
    expect(await targets('q=zwiebelfisch')).toEqual([id]);
    await asAdmin(
      platform.database,
      `update data.audit_log set details = data.erased_details(details, outcome), details_salt = null, erased_at = now()
       where tenant_id = $1`,
      [tenant.id],
    );
    expect(await found('q=zwiebelfisch')).toEqual([]);
    const rows = await asAdmin<{ search: string }>(
      platform.database,
      'select search::text from data.audit_log where tenant_id = $1',
      [tenant.id],
    );
    expect(rows.filter(({ search }) => search.includes('zwiebelfisch'))).toEqual([]);
    const { body } = await tenant.api.get<{ tree: { verified: boolean } }>(`${LOG}?verify=true`);
    expect(body.tree.verified).toBe(true);
  });

  it('does not accept a change of an entry besides erasure', async () => {
    await deal({ name: 'Acme' });
    await expect(
      asAdmin(platform.database, `update data.audit_log set workspace_id = tenant_id where tenant_id = $1`, [
        tenant.id,
      ]),
    ).rejects.toThrow('append-only');
  });
});
