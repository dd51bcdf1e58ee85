import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const DEALS = '/api/v1/sales/deals';
const NAMES = [
  'Acme renewal 2027',
  'Globex expansion',
  'Acme Labs new business',
  'Über Straße GmbH',
  '株式会社 日本語',
  'R&D (phase-2) O’Reilly',
  'foo_bar.baz@example.com',
  '“Umbrella”–Corp…\u00a0€uro क्षेत्र \u{1F600}smile',
  'initech.test (1999-11-21), 7.25 %',
  'Mu\u0308hle x/y',
];
const [, , , , , , address, umbrella, initech, mill] = NAMES;

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
  for (const name of NAMES) await tenant.api.post(DEALS, { name });
  await tenant.api.post(DEALS, { name: 'Quiet', nextStep: 'Send the Pricing sheet' });
});
afterAll(() => platform.close());

async function find(q: string): Promise<string[]> {
  const answer = await tenant.api.get<{ data: { name: string }[] }>(
    `${DEALS}?sort=createdAt&q=${encodeURIComponent(q)}`,
  );
  expect(answer.status).toBe(200);
  return answer.body.data.map(({ name }) => name);
}

describe('q', () => {
  it.each([
    ['a whole word', 'acme', ['Acme renewal 2027', 'Acme Labs new business']],
    ['in any case', 'GLOBEX', ['Globex expansion']],
    ['the beginning of a word', 'renew', ['Acme renewal 2027']],
    ['not the middle of a word', 'newal', []],
    ['not the end of a word', 'business2', []],
    ['several words, all of them', 'acme ren', ['Acme renewal 2027']],
    ['several words in any order', '2027 acme', ['Acme renewal 2027']],
    ['words of which one does not occur', 'acme globex', []],
    ['digits', '20', ['Acme renewal 2027']],
    ['umlauts', 'über stra', ['Über Straße GmbH']],
    ['other scripts', '日本', ['株式会社 日本語']],
    ['punctuation between words', 'r&d phase', ['R&D (phase-2) O’Reilly']],
    ['the next step', 'pricing', ['Quiet']],
    ['the reference', 'DEAL-000002', ['Globex expansion']],
    ['a word that does not occur', 'zebra', []],
  ])('finds %s', async (_, q, names) => {
    expect(await find(q)).toEqual(names);
  });

  it.each([
    ['foo_bar.baz@example.com', address],
    ['baz@example', address],
    ['initech.test', initech],
    ['1999-11-21', initech],
    ['21', initech],
    ['7.25', initech],
    ['25', initech],
    ['x/y', mill],
    ['umbrella', umbrella],
    ['corp', umbrella],
    ['€uro', umbrella],
    ['«corp»', umbrella],
    ['smile', umbrella],
    ['क्षे', umbrella],
  ])('treats punctuation and symbols as separators: %s', async (q, name) => {
    expect(await find(q)).toEqual([name]);
  });

  it.each(['MU\u0308HLE', 'm\u00fchle', 'M\u00dch', 'u\u0308ber'])(
    'finds letters with diacritics in any composition: %s',
    async (q) => {
      expect(await find(q)).toEqual([/ber/.test(q) ? 'Über Straße GmbH' : mill]);
    },
  );

  it('finds every deal by its reference, in any case', async () => {
    const { data } = (await tenant.api.get<{ data: { name: string; reference: string }[] }>(DEALS)).body;
    for (const { name, reference } of data) {
      expect(await find(reference)).toEqual([name]);
      expect(await find(reference.toLowerCase())).toEqual([name]);
    }
  });

  it('combines with filters, sort and pages', async () => {
    interface Page {
      data: { name: string }[];
      page: { nextCursor: string | null };
    }
    const query = `${DEALS}?q=acme&sort=-name&limit=1`;
    const first = (await tenant.api.get<Page>(query)).body;
    const second = (await tenant.api.get<Page>(`${query}&cursor=${first.page.nextCursor}`)).body;
    expect([...first.data, ...second.data].map(({ name }) => name)).toEqual([NAMES[0], NAMES[2]]);
    expect(second.page.nextCursor).toBeNull();
    expect((await tenant.api.get<Page>(`${DEALS}?q=acme&status=won`)).body.data).toEqual([]);
  });

  it.each(['', 'x'.repeat(201), 'x\0'])('takes 1 to 200 characters without NUL: %j is 400', async (q) => {
    expect((await tenant.api.get(`${DEALS}?q=${encodeURIComponent(q)}`)).status).toBe(400);
  });

  it('ignores white space and punctuation around words', async () => {
    expect(await find('  acme,   renewal!! ')).toEqual(['Acme renewal 2027']);
  });

  it.each([
    "'",
    "acme' | !",
    'acme & !globex',
    'acme:*',
    'acme <-> renewal',
    '(acme',
    '\\',
    "'; drop table data.sales_deals; --",
    'acme:A',
    '!!',
    '*',
    ':*',
    '&&',
    '\u{1F600}',
    '%',
  ])('%j is treated as words', async (q) => {
    const found = await find(q);
    expect(found.every((name) => NAMES.includes(name))).toBe(true);
    if (!/[\p{L}\p{N}]/u.test(q)) expect(found).toEqual([]);
  });

  it('treats "not" and "or" as words', async () => {
    expect(await find('acme or globex')).toEqual([]);
    expect(await find('not acme')).toEqual([]);
  });

  it('finds the record under its new name and no longer under its old one', async () => {
    const { body } = await tenant.api.post(DEALS, { name: 'Oldname' });
    await tenant.api.patch(`${DEALS}/${String(body['id'])}`, { name: 'Freshname' });
    expect(await find('oldname')).toEqual([]);
    expect(await find('fresh')).toEqual(['Freshname']);
  });

  it('finds nothing of another tenant, of the archive and of the trash', async () => {
    const other = await platform.tenant();
    const seen = await other.api.get<{ data: object[] }>(`${DEALS}?q=acme`);
    expect(seen.body.data).toEqual([]);
    const { body } = await other.api.post(DEALS, { name: 'Hidden acme' });
    const path = `${DEALS}/${String(body['id'])}`;
    await other.api.post(`${path}/archive`);
    expect((await other.api.get<{ data: object[] }>(`${DEALS}?q=acme`)).body.data).toEqual([]);
    expect((await other.api.get<{ data: object[] }>(`${DEALS}?q=acme&includeArchived=true`)).body.data).toHaveLength(1);
    await other.api.post(`${path}/unarchive`);
    await other.api.delete(path);
    expect((await other.api.get<{ data: object[] }>(`${DEALS}?q=acme`)).body.data).toEqual([]);
    expect((await other.api.get<{ data: object[] }>(`${DEALS}?q=acme&includeDeleted=true`)).body.data).toHaveLength(1);
  });

  it('takes 200 characters of words', async () => {
    expect(await find('acme '.repeat(40).trim())).toEqual(['Acme renewal 2027', 'Acme Labs new business']);
    expect(await find('a'.repeat(200))).toEqual([]);
  });
});
