import { PLAN_NAMES } from '#libs/auth/plans.js';
import type { Command, OptionSpec } from './command.js';

const tenant: OptionSpec = { value: 'SLUG', description: 'Slug of the tenant', required: true };
const ofOneTenant: OptionSpec = { value: 'SLUG', description: 'Slug of the tenant; all tenants if not given' };
const reason: OptionSpec = { value: 'TEXT', description: 'Why, for the audit log of the tenant', required: true };
const plan: OptionSpec = { value: PLAN_NAMES.join('|'), description: 'Plan', required: true };
const limits: Record<string, OptionSpec> = {
  'reads-per-minute': { value: 'N', description: 'Reads allowed in any 60 seconds in place of what the plan says' },
  'writes-per-minute': { value: 'N', description: 'Writes allowed in any 60 seconds in place of what the plan says' },
};

/** Every operator command, in the order of the help. `--json` and `--help` go with each, `help` stands beside them. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'tenant create',
    summary: 'Makes a tenant and its first API key, which has all scopes and is shown this once.',
    options: {
      slug: { value: 'SLUG', description: 'Short name in lower-case letters, digits and hyphens', required: true },
      name: { value: 'NAME', description: 'Name that people see', required: true },
      plan,
      owner: { value: 'EMAIL', description: 'E-mail address of the owner' },
      currency: {
        value: 'CODE',
        description:
          'Currency of its books (ISO 4217), which it can change until something is posted; USD if not given',
      },
      ...limits,
    },
    load: async () => (await import('./tenant.js')).createTenant,
  },
  {
    name: 'tenant list',
    summary: 'Lists the tenants.',
    options: {},
    load: async () => (await import('./tenant.js')).listTenants,
  },
  {
    name: 'tenant set-plan',
    summary: 'Gives a tenant another plan, in force from its next request on.',
    options: { tenant, plan, ...limits },
    load: async () => (await import('./tenant.js')).setPlan,
  },
  {
    name: 'tenant rename',
    summary: 'Gives a tenant another name; the slug stays.',
    options: { tenant, name: { value: 'NAME', description: 'Name that people see', required: true } },
    load: async () => (await import('./tenant-life.js')).renameTenant,
  },
  {
    name: 'tenant suspend',
    summary:
      'Refuses the requests of a tenant from the next one on, and has its deliveries, automations and mails wait.',
    options: { tenant, reason },
    load: async () => (await import('./tenant-life.js')).suspendTenant,
  },
  {
    name: 'tenant reactivate',
    summary: 'Serves a suspended tenant again; what has waited goes on.',
    options: { tenant },
    load: async () => (await import('./tenant-life.js')).reactivateTenant,
  },
  {
    name: 'tenant close',
    summary: 'Closes a tenant: it works for 30 more days, then all access ends for good.',
    options: { tenant, reason },
    load: async () => (await import('./tenant-life.js')).closeTenant,
  },
  {
    name: 'tenant cancel-closing',
    summary: 'Takes the closing of a tenant back within the 30 days.',
    options: { tenant },
    load: async () => (await import('./tenant-life.js')).cancelClosing,
  },
  {
    name: 'operator-key create',
    summary: 'Makes a key for founding and administering tenants over the API, which is shown this once.',
    options: {
      name: { value: 'NAME', description: 'Name of the key, as audit logs show it', required: true },
      'expires-at': {
        value: 'INSTANT',
        description: 'Time at which it expires, e.g. `2027-06-30T00:00:00Z`; after 365 days if not given',
      },
    },
    load: async () => (await import('./operator-key.js')).createOperatorKey,
  },
  {
    name: 'operator-key list',
    summary: 'Lists the operator keys, without their secrets.',
    options: {},
    load: async () => (await import('./operator-key.js')).listOperatorKeys,
  },
  {
    name: 'operator-key revoke',
    summary: 'Revokes an operator key: its next request is refused.',
    options: { id: { value: 'ID', description: 'Id of the key', required: true } },
    load: async () => (await import('./operator-key.js')).revokeOperatorKey,
  },
  {
    name: 'signing-key list',
    summary: 'Lists the keys that sign checkpoints and exports, the active one last.',
    options: {},
    load: async () => (await import('./signing-key.js')).listSigningKeys,
  },
  {
    name: 'signing-key rotate',
    summary: 'Makes a new signing key, which signs from now on; the old public key stays published.',
    options: {},
    load: async () => (await import('./signing-key.js')).rotateSigningKey,
  },
  {
    name: 'member add',
    summary: 'Adds a person to a tenant, who can sign in and for whom API keys can act.',
    options: {
      tenant,
      email: { value: 'EMAIL', description: 'E-mail address, which nobody else in the tenant has', required: true },
      name: { value: 'NAME', description: 'Name that people see', required: true },
      role: { value: 'KEY', description: 'Key of a role, e.g. `owner`; `member` if not given' },
    },
    load: async () => (await import('./member.js')).addMember,
  },
  {
    name: 'apikey create',
    summary: 'Makes an API key, which is shown this once.',
    options: {
      tenant,
      name: { value: 'NAME', description: 'Name of the key', required: true },
      scopes: {
        value: 'SCOPE,...',
        description: 'Permissions of the key; also `deals:*`, `*:read` and `*`',
        required: true,
      },
      member: { value: 'EMAIL', description: 'Member that it acts for; nobody if not given' },
      'expires-at': {
        value: 'INSTANT',
        description: 'Time at which it expires, e.g. `2027-06-30T00:00:00Z`; never if not given',
      },
      'allow-protected': {
        description:
          'Let it do protected operations too, such as giving privileged roles and storing secrets, without the second factor that a person needs for them; it expires after 90 days, or sooner with `--expires-at`',
      },
      'allow-cidr': {
        value: 'CIDR,...',
        description: 'Networks it may be used from, e.g. `10.0.0.0/8`; any if not given',
      },
    },
    load: async () => (await import('./apikey.js')).createApiKey,
  },
  {
    name: 'apikey list',
    summary: 'Lists the API keys and SCIM tokens of a tenant, without their secrets.',
    options: { tenant },
    load: async () => (await import('./apikey.js')).listCredentials,
  },
  {
    name: 'apikey rotate',
    summary: 'Gives an API key a new secret under a new id; the old one stays valid for the overlap.',
    options: {
      tenant,
      id: { value: 'ID', description: 'Id of the key', required: true },
      'overlap-seconds': {
        value: 'N',
        description: 'Seconds for which the old one stays valid, 0 to 2592000; 604800 (7 days) if not given',
      },
    },
    load: async () => (await import('./apikey.js')).rotateApiKey,
  },
  {
    name: 'apikey revoke',
    summary: 'Revokes an API key or SCIM token: its next request is refused.',
    options: { tenant, id: { value: 'ID', description: 'Id of the key or token', required: true } },
    load: async () => (await import('./apikey.js')).revokeCredential,
  },
  {
    name: 'scim token',
    summary: 'Makes a SCIM configuration for an identity provider, and its token, which is shown this once.',
    options: { tenant, name: { value: 'NAME', description: 'Name of the token; `SCIM token` by default' } },
    load: async () => (await import('./scim.js')).createScimToken,
  },
  {
    name: 'events set-aside',
    summary: 'Lists events that could not be handed on to endpoints and automations, and why, the oldest first.',
    options: { tenant: ofOneTenant },
    load: async () => (await import('./events.js')).listSetAside,
  },
  {
    name: 'events retry',
    summary: 'Has them tried again now, those that were given up after ten tries too.',
    options: { tenant: ofOneTenant },
    load: async () => (await import('./events.js')).retrySetAside,
  },
  {
    name: 'migrate',
    summary: 'Brings the database to the newest schema.',
    options: {},
    load: async () => (await import('./migrate.js')).migrateDatabase,
  },
  {
    name: 'seed',
    summary: 'Fills a tenant with made-up deals for trying out and for benchmarks; they cause no events.',
    options: { tenant, deals: { value: 'N', description: 'How many, 1 to 1000000', required: true } },
    load: async () => (await import('./seed.js')).seed,
  },
  {
    name: 'openapi',
    summary: 'Writes the OpenAPI document of the API to openapi/openapi.json.',
    options: {
      write: { description: 'Write the file; this is what happens without an option too' },
      check: { description: 'Write nothing; fail if the file is not up to date' },
    },
    load: async () => (await import('./openapi.js')).openapi,
  },
  {
    name: 'docs',
    summary: 'Writes the reference pages in docs/reference, and from the OpenAPI document receiver/events.d.ts.',
    options: { check: { description: 'Write nothing; fail if a file is not up to date' } },
    load: async () => (await import('./docs.js')).docsOf(COMMANDS),
  },
];
