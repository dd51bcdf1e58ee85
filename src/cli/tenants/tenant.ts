import type { TenantRecord } from '#libs/auth/tenant-directory.js';
import { type CommandRun, type GivenOptions, UsageError } from '../command.js';
import { withDirectory } from '../directory-access.js';
import { tableOf } from '../table-text.js';
import { currencyOf, DEFAULT_CURRENCY, emailOf, limitsOf, nameOf, planOf, slugOf } from '../values.js';

/** `tenant create` */
export const createTenant: CommandRun = async (given, { settings }) => {
  const plan = planOf(given);
  const wanted = {
    slug: slugOf(given, 'slug'),
    name: nameOf(given, 'name'),
    plan,
    ...ownerOf(given),
    currency: currencyOf(given, 'currency') ?? DEFAULT_CURRENCY,
    limits: limitsOf(given, plan),
    general: {},
  };
  const { tenantId, apiKey } = await withDirectory(settings(), ({ register }) => register.create(wanted, 'First key'));
  const { slug, name, ownerEmail, currency, limits } = wanted;
  return {
    json: {
      tenantId,
      slug,
      name,
      plan,
      ownerEmail,
      currency,
      readsPerMinute: limits.read,
      writesPerMinute: limits.write,
      apiKeyId: apiKey.id,
      apiKey: apiKey.text,
    },
    text: [
      `Created the tenant ${slug} (${tenantId}) on the plan ${plan}: ${limits.read} reads and ${limits.write} writes a minute.`,
      `Its API key has all scopes and is shown only once: ${apiKey.text}`,
    ].join('\n'),
  };
};

/** @throws UsageError for a name without an address. */
function ownerOf(given: GivenOptions): { ownerEmail: string | null; ownerName: string | null } {
  const ownerEmail = emailOf(given, 'owner');
  if (given['owner-name'] === undefined) return { ownerEmail, ownerName: null };
  if (ownerEmail === null) throw new UsageError('--owner-name needs --owner');
  return { ownerEmail, ownerName: nameOf(given, 'owner-name') };
}

/** `tenant list` */
export const listTenants: CommandRun = async (_given, { settings }) => {
  const all = await withDirectory(settings(), ({ tenants }) => tenants.list());
  return {
    json: { data: all.map(show) },
    text: tableOf(
      ['SLUG', 'STATUS', 'PLAN', 'READS/MIN', 'WRITES/MIN', 'ID', 'NAME'],
      all.map((tenant) => [
        tenant.slug,
        tenant.status,
        tenant.plan,
        String(tenant.readsPerMinute),
        String(tenant.writesPerMinute),
        tenant.id,
        tenant.name,
      ]),
    ),
  };
};

/** `tenant set-plan` */
export const setPlan: CommandRun = async (given, { settings }) => {
  const slug = slugOf(given, 'tenant');
  const plan = planOf(given);
  const limits = limitsOf(given, plan);
  const tenant = await withDirectory(settings(), async ({ tenants }) =>
    tenants.setPlan(await tenants.get(slug), plan, limits),
  );
  return {
    json: show(tenant),
    text: `The tenant ${slug} is on the plan ${plan}: ${limits.read} reads and ${limits.write} writes a minute.`,
  };
};

function show({
  id,
  slug,
  name,
  plan,
  ownerEmail,
  currency,
  readsPerMinute,
  writesPerMinute,
  status,
  createdAt,
}: TenantRecord) {
  return { tenantId: id, slug, name, plan, ownerEmail, currency, readsPerMinute, writesPerMinute, status, createdAt };
}
