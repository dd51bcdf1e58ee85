import type { Answer, Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { makeRole, makeWorkspace, type Page } from './people-calls.js';

const LOG = '/api/admin/audit-logs';
const DEALS = '/api/v1/sales/deals';

/** The reach of the right to read the audit log. */
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

interface Entry {
  action: string;
  target: { type: string; id: string } | null;
  actor: { id: string };
}

async function deal(api: Client, workspaceId: string | null, name = 'Deal'): Promise<string> {
  const { status, body, text } = await api.post(DEALS, { name, workspaceId });
  if (status !== 201) throw new Error(text);
  return String(body['id']);
}

/** Ids of the deals in the visible entries, over all pages. */
async function dealsSeen(api: Client): Promise<string[]> {
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const query: string = `action=sales.deal.created&limit=2${cursor === null ? '' : `&cursor=${cursor}`}`;
    const { body }: Answer<Page<Entry>> = await api.get(`${LOG}?${query}`);
    seen.push(...body.data.map(({ target }) => target!.id));
    cursor = body.page.nextCursor;
  } while (cursor !== null);
  return seen.sort();
}

const actionsSeen = async (api: Client) =>
  (await api.get<Page<Entry>>(`${LOG}?limit=200`)).body.data.map(({ action }) => action);

describe('within workspaces', () => {
  it('shows entries about records there and the reader’s own actions', async () => {
    const [there, elsewhere] = [await makeWorkspace(tenant.api, 'There'), await makeWorkspace(tenant.api, 'Elsewhere')];
    const role = await makeRole(tenant, 'Lead', ['audit:read@workspace', 'deals:read', 'deals:write']);
    const { id, api } = await platform.member(tenant, 'Reader', ['*'], {
      roles: [role],
      workspaces: { [there]: 'member' },
    });
    const inside = [await deal(tenant.api, there), await deal(tenant.api, there), await deal(tenant.api, there)];
    await deal(tenant.api, elsewhere);
    await deal(tenant.api, null); // belongs to the default workspace
    const own = await deal(api, there, 'Own');
    expect(await dealsSeen(api)).toEqual([...inside, own].sort());
    // Entries that are not about records, such as roles and members, are not visible.
    expect(new Set(await actionsSeen(api))).toEqual(new Set(['sales.deal.created', 'audit.read']));

    const [denied] = inside;
    await tenant.api.post('/api/admin/resource-permissions', {
      object: 'sales.deal',
      objectId: denied,
      principal: { type: 'membership', id },
      level: 'view',
      effect: 'deny',
    });
    expect(await dealsSeen(api)).toEqual([...inside.slice(1), own].sort());
  });

  it('shows guests of the workspace nothing', async () => {
    const there = await makeWorkspace(tenant.api, 'There');
    const role = await makeRole(tenant, 'Lead', ['audit:read@workspace', 'deals:read']);
    const place = { roles: [role], workspaces: { [there]: 'guest' as const } };
    const { api } = await platform.member(tenant, 'Guest', ['*'], place);
    await deal(tenant.api, there);
    expect(await dealsSeen(api)).toEqual([]);
  });

  it('includes records without a workspace for the default workspace', async () => {
    const { api } = await platform.member(tenant, 'Manager', ['*'], { roles: ['manager'] });
    const elsewhere = await makeWorkspace(tenant.api, 'Elsewhere');
    const nowhere = await deal(tenant.api, null);
    await deal(tenant.api, elsewhere);
    expect(await dealsSeen(api)).toEqual([nowhere]);
  });
});

describe('within own records', () => {
  it('shows a developer the actions of all of their keys only', async () => {
    const role = await makeRole(tenant, 'Writer', ['deals:write']);
    const place = { roles: ['developer', role] };
    const { id, api } = await platform.member(tenant, 'Developer', ['*'], place);
    const second = await platform.key(tenant, ['deals:write'], { memberId: id });
    const other = await platform.member(tenant, 'Other', ['*'], place);
    const mine = [await deal(api, null), await deal(second, null)];
    await asAdmin(
      platform.database,
      'update directory.credentials set revoked_at = now() where name = $1 and id = $2',
      ['test key', (await entryOf(mine[1]!)).actor.id],
    );
    await deal(other.api, null);
    await deal(tenant.api, null);
    expect(await dealsSeen(api)).toEqual(mine.sort());
  });

  it('is denied for a role without the permission', async () => {
    const { api } = await platform.member(tenant, 'Member', ['*'], { roles: ['member'] });
    expect(await api.get(LOG)).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
  });
});

async function entryOf(dealId: string): Promise<Entry> {
  const { body } = await tenant.api.get<Page<Entry>>(`${LOG}?action=sales.deal.created&limit=200`);
  return body.data.find(({ target }) => target!.id === dealId)!;
}
