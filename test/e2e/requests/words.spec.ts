import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

/** Failures of text patterns have readable details; the pattern itself is in the OpenAPI document. */
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const EMAIL = 'The text must be an e-mail address such as ana@acme.example.';

it.each([
  ['/api/admin/invitations', { email: 'ana.acme.example' }, '/email', EMAIL],
  ['/api/admin/invitations', { emails: ['ana@acme.example', 'ana@acme'] }, '/emails/1', EMAIL],
  ['/api/v1/sales/contacts', { name: 'Ana', emails: ['ana@@acme'] }, '/emails/0', EMAIL],
  ['/api/v1/people/employees', { name: 'Ana', workEmail: 'ana @acme.example' }, '/workEmail', EMAIL],
  ['/api/v1/talent/candidates', { name: 'Ana', email: 'none' }, '/email', EMAIL],
  ['/api/v1/sales/deals', { name: ' ' }, '/name', 'The text must not be blank.'],
  [
    '/api/v1/sales/accounts',
    { name: 'A', domain: 'none' },
    '/domain',
    'The text must be a domain such as acme.example or münchen.example.',
  ],
  [
    '/api/v1/finance/tax-rates',
    { name: 'VAT', percent: 19, country: 'de' },
    '/country',
    'The text must be an ISO 3166-1 alpha-2 code in capitals, such as DE.',
  ],
])('%s of %j', async (path, body, pointer, detail) => {
  expect(await tenant.api.post(path, body)).toMatchObject({
    status: 400,
    body: { code: 'validation_failed', errors: [{ pointer, code: 'invalid_format', detail }] },
  });
});
