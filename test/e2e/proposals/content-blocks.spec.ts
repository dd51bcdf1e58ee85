import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const PATH = '/api/v1/proposals/content-blocks';

describe('content blocks', () => {
  it('are created, searched, changed and deleted', async () => {
    const body = 'We have worked for public libraries since 2012.';
    const made = await tenant.api.post<{ id: string }>(PATH, { name: 'About us', kind: 'introduction', body });
    expect(made).toMatchObject({ status: 201, body: { object: 'proposals.content_block', body, locale: null } });
    const { id } = made.body;
    const found = await tenant.api.get<{ data: { id: string }[] }>(`${PATH}?q=about&kind=introduction`);
    expect(found.body.data.map((each) => each.id)).toEqual([id]);
    const changed = await tenant.api.patch(`${PATH}/${id}`, { kind: 'section', locale: 'en-GB' });
    expect(changed).toMatchObject({ status: 200, body: { version: 2, kind: 'section', locale: 'en-GB' } });
    expect((await tenant.api.delete(`${PATH}/${id}`)).status).toBe(200);
    expect((await tenant.api.get(`${PATH}/${id}`)).status).toBe(404);
  });
});
