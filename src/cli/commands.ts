import { PLAN_NAMES } from '#libs/auth/plans.js';
import { COMMITTED_METRICS } from '#src/areas/service-levels/sla-report/commitments.js';
import type { Command, OptionSpec } from './command.js';

const tenant: OptionSpec = { value: 'SLUG', description: 'Slug of the tenant', required: true };
const ofOneTenant: OptionSpec = { value: 'SLUG', description: 'Slug of the tenant; defaults to all tenants' };
const reason: OptionSpec = { value: 'TEXT', description: 'Reason, for the audit log of the tenant', required: true };
const plan: OptionSpec = { value: PLAN_NAMES.join('|'), description: 'Plan', required: true };
const limits: Record<string, OptionSpec> = {
  'reads-per-minute': { value: 'N', description: 'Reads allowed in any 60 seconds, instead of the limit of the plan' },
  'writes-per-minute': {
    value: 'N',
    description: 'Writes allowed in any 60 seconds, instead of the limit of the plan',
  },
};

/**
 * All operator commands, in the order of the help. Each also accepts `--json` and `--help`; `help` is handled
 * separately.
 */
export const COMMANDS: readonly Command[] = [
  {
    name: 'tenant create',
    summary: 'Creates a tenant and its first API key, which has all scopes and is shown only once.',
    options: {
      slug: { value: 'SLUG', description: 'Short name in lower-case letters, digits and hyphens', required: true },
      name: { value: 'NAME', description: 'Display name', required: true },
      plan,
      owner: { value: 'EMAIL', description: 'E-mail address of the owner' },
      'owner-name': { value: 'NAME', description: 'Name of the owner, until they sign in' },
      currency: {
        value: 'CODE',
        description: 'Currency of its books (ISO 4217), which can be changed until the first posting; defaults to USD',
      },
      ...limits,
    },
    load: async () => (await import('./tenants/tenant.js')).createTenant,
  },
  {
    name: 'tenant list',
    summary: 'Lists the tenants.',
    options: {},
    load: async () => (await import('./tenants/tenant.js')).listTenants,
  },
  {
    name: 'tenant set-plan',
    summary: 'Changes the plan of a tenant, effective with its next request.',
    options: { tenant, plan, ...limits },
    load: async () => (await import('./tenants/tenant.js')).setPlan,
  },
  {
    name: 'tenant rename',
    summary: 'Renames a tenant; the slug stays.',
    options: { tenant, name: { value: 'NAME', description: 'Display name', required: true } },
    load: async () => (await import('./tenants/tenant-life.js')).renameTenant,
  },
  {
    name: 'tenant suspend',
    summary: 'Suspends a tenant: its next request is refused, and its deliveries, automations and mails are deferred.',
    options: { tenant, reason },
    load: async () => (await import('./tenants/tenant-life.js')).suspendTenant,
  },
  {
    name: 'tenant reactivate',
    summary: 'Reactivates a suspended tenant; deferred work resumes.',
    options: { tenant },
    load: async () => (await import('./tenants/tenant-life.js')).reactivateTenant,
  },
  {
    name: 'tenant close',
    summary: 'Closes a tenant after 30 days; then all access ends permanently.',
    options: { tenant, reason },
    load: async () => (await import('./tenants/tenant-life.js')).closeTenant,
  },
  {
    name: 'tenant cancel-closing',
    summary: 'Cancels the closure of a tenant within the 30 days.',
    options: { tenant },
    load: async () => (await import('./tenants/tenant-life.js')).cancelClosing,
  },
  {
    name: 'operator-key create',
    summary: 'Creates a key for creating and administering tenants over the API. It is shown only once.',
    options: {
      name: { value: 'NAME', description: 'Name of the key, as shown in audit logs', required: true },
      'expires-at': {
        value: 'INSTANT',
        description: 'Time at which it expires, e.g. `2027-06-30T00:00:00Z`; defaults to 365 days from now',
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
    name: 'oauth-client create',
    summary: 'Registers a partner, to which users of all tenants can grant access; the secret is shown only once.',
    options: {
      name: { value: 'NAME', description: 'Name of the partner, shown to users', required: true },
      'redirect-uri': {
        value: 'URI',
        description: 'Redirect URI, must match exactly: https, or http on this machine; can be repeated',
        required: true,
        repeatable: true,
      },
      scopes: {
        value: 'SCOPE,...',
        description: 'Permissions that it can request; wildcards such as `deals:*` are allowed',
        required: true,
      },
      confidential: {
        description: 'Creates a client with a secret, for servers; otherwise the client is public and uses PKCE only',
      },
    },
    load: async () => (await import('./oauth-client.js')).createOauthClient,
  },
  {
    name: 'oauth-client list',
    summary: 'Lists the registered partners, without their secrets.',
    options: {},
    load: async () => (await import('./oauth-client.js')).listOauthClients,
  },
  {
    name: 'oauth-client suspend',
    summary: 'Suspends a partner: the client and all its tokens are rejected immediately.',
    options: { id: { value: 'ID', description: 'Id of the client', required: true } },
    load: async () => (await import('./oauth-client.js')).suspendOauthClient,
  },
  {
    name: 'oauth-client activate',
    summary: 'Reactivates a suspended partner, with all grants that have not expired.',
    options: { id: { value: 'ID', description: 'Id of the client', required: true } },
    load: async () => (await import('./oauth-client.js')).activateOauthClient,
  },
  {
    name: 'tenant set-commitment',
    summary: 'Agrees with a tenant on the monthly target of a metric, instead of that of its plan.',
    options: {
      tenant,
      metric: { value: COMMITTED_METRICS.join('|'), description: 'Metric of the service-level report', required: true },
      target: { value: 'PERCENT', description: 'Target in percent, with at most three decimals', required: true },
    },
    load: async () => (await import('./tenants/tenant-commitment.js')).setCommitment,
  },
  {
    name: 'sla-report correct',
    summary:
      'Measures a closed month again, within 100 days; if figures differ, stores them as a new version. Older versions stay readable.',
    options: {
      tenant,
      month: { value: 'MONTH', description: 'Closed month, e.g. `2026-10`', required: true },
      reason: { value: 'TEXT', description: 'Reason, shown in the report and in the audit log', required: true },
    },
    load: async () => (await import('./sla-report.js')).correctReport,
  },
  {
    name: 'maintenance announce',
    summary: 'Announces maintenance for all tenants; its minutes do not count in service-level reports.',
    options: {
      from: { value: 'INSTANT', description: 'Start, at least an hour ahead', required: true },
      to: { value: 'INSTANT', description: 'End, at most 7 days after the start', required: true },
      title: { value: 'TEXT', description: 'What is done', required: true },
    },
    load: async () => (await import('./maintenance.js')).announceMaintenance,
  },
  {
    name: 'maintenance list',
    summary: 'Lists announced maintenance, the newest first.',
    options: {},
    load: async () => (await import('./maintenance.js')).listMaintenance,
  },
  {
    name: 'maintenance cancel',
    summary: 'Cancels announced maintenance that has not begun.',
    options: { id: { value: 'ID', description: 'Id of the window', required: true } },
    load: async () => (await import('./maintenance.js')).cancelMaintenance,
  },
  {
    name: 'signing-key list',
    summary: 'Lists the keys that sign checkpoints and exports, the active one last.',
    options: {},
    load: async () => (await import('./keys/signing-key.js')).listSigningKeys,
  },
  {
    name: 'signing-key rotate',
    summary: 'Makes a new signing key, which signs from now on; the old public key stays published.',
    options: {},
    load: async () => (await import('./keys/signing-key.js')).rotateSigningKey,
  },
  {
    name: 'master-key list',
    summary: 'Lists the ids of the master keys with which keys in the database are encrypted, with counts.',
    options: {},
    load: async () => (await import('./keys/master-key.js')).listMasterKeys,
  },
  {
    name: 'master-key rotate',
    summary:
      'Encrypts all keys in the database again, with the new `MASTER_KEY`; the old one must be in `MASTER_KEY_PREVIOUS`. Without `MASTER_KEY`, it generates the new key in `DATA_DIR`. Can be repeated after an interruption.',
    options: {
      start: { description: 'Generate another key in `DATA_DIR` although the previous rotation is finished' },
    },
    load: async () => (await import('./keys/master-key.js')).rotateMasterKey,
  },
  {
    name: 'data-key list',
    summary: 'Lists the versions of the data key of a tenant.',
    options: { tenant },
    load: async () => (await import('./keys/data-key.js')).listDataKeys,
  },
  {
    name: 'data-key rotate',
    summary:
      'Creates a new data key. The worker seals stored values again with it, and removes the old key once no value uses it.',
    options: { tenant: ofOneTenant },
    load: async () => (await import('./keys/data-key.js')).rotateDataKeys,
  },
  {
    name: 'member add',
    summary: 'Adds a person to a tenant, who can sign in and whom API keys can act for.',
    options: {
      tenant,
      email: { value: 'EMAIL', description: 'E-mail address, unique in the tenant', required: true },
      name: { value: 'NAME', description: 'Display name', required: true },
      role: { value: 'KEY', description: 'Key of a role, e.g. `owner`; defaults to `member`' },
    },
    load: async () => (await import('./member.js')).addMember,
  },
  {
    name: 'apikey create',
    summary: 'Creates an API key, which is shown only once.',
    options: {
      tenant,
      name: { value: 'NAME', description: 'Name of the key', required: true },
      scopes: {
        value: 'SCOPE,...',
        description:
          'Permissions of the key; wildcards such as `deals:*`, `*:read` and `*` are allowed, other than for a member with `--allow-protected`',
        required: true,
      },
      member: { value: 'EMAIL', description: 'Member that it acts for; a service key without it' },
      'expires-at': {
        value: 'INSTANT',
        description: 'Time at which it expires, e.g. `2027-06-30T00:00:00Z`; defaults to never',
      },
      'allow-protected': {
        description:
          'Allows protected operations, such as granting privileged roles and storing secrets, without the second factor that a person needs; the key expires after 90 days, or sooner with `--expires-at`',
      },
      'allow-cidr': {
        value: 'CIDR,...',
        description: 'Networks it may be used from, e.g. `10.0.0.0/8`; defaults to any',
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
        description: 'Seconds for which the old secret stays valid, 0 to 604800 (7 days); defaults to 86400 (1 day)',
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
    summary: 'Creates a SCIM configuration for an identity provider, and its token, which is shown only once.',
    options: { tenant, name: { value: 'NAME', description: 'Name of the token; defaults to `SCIM token`' } },
    load: async () => (await import('./scim.js')).createScimToken,
  },
  {
    name: 'events set-aside',
    summary: 'Lists events that could not be relayed to endpoints and automations, with the reason, oldest first.',
    options: { tenant: ofOneTenant },
    load: async () => (await import('./events.js')).listSetAside,
  },
  {
    name: 'events retry',
    summary: 'Retries these events now, including those given up after ten attempts.',
    options: { tenant: ofOneTenant },
    load: async () => (await import('./events.js')).retrySetAside,
  },
  {
    name: 'migrate',
    summary: 'Migrates the database to the newest schema.',
    options: {},
    load: async () => (await import('./migrate.js')).migrateDatabase,
  },
  {
    name: 'backup',
    summary:
      'Backs up the database into one file, as of one moment, while the platform runs. Keep the master key apart from it; the file does not contain it.',
    operand: { value: 'FILE', description: 'File to write, with mode 0600; must not exist' },
    options: {},
    load: async () => (await import('./backup.js')).backup,
  },
  {
    name: 'restore',
    summary:
      'Restores a backup of this or an earlier release into an empty database, then migrates it. Needs the master key with which the backup was made. API and worker must be stopped.',
    operand: { value: 'FILE', description: 'File that `backup` has written' },
    options: {},
    load: async () => (await import('./backup.js')).restore,
  },
  {
    name: 'seed',
    summary: 'Fills a tenant with sample deals for demos and benchmarks, without events.',
    options: { tenant, deals: { value: 'N', description: 'Number of deals, 1 to 1000000', required: true } },
    load: async () => (await import('./seed/seed.js')).seed,
  },
  {
    name: 'openapi',
    summary: 'Writes the OpenAPI document of the API to openapi/openapi.json.',
    options: {
      write: { description: 'Write the file; this is the default' },
      check: { description: 'Write nothing; fail if the file is not up to date' },
    },
    load: async () => (await import('./openapi.js')).openapi,
  },
  {
    name: 'schema',
    summary:
      'Writes the schema that new databases load to src/database/schema.sql, and a file for each SQL function that has none.',
    options: {
      write: { description: 'Write the files; this is the default' },
      check: { description: 'Write nothing; fail if a file is not up to date' },
    },
    load: async () => (await import('./schema.js')).schema,
  },
  {
    name: 'docs',
    summary: 'Writes the reference pages in docs/reference, and receiver/events.d.ts from the OpenAPI document.',
    options: {
      write: { description: 'Write the files; this is the default' },
      check: { description: 'Write nothing; fail if a file is not up to date' },
    },
    load: async () => (await import('./docs.js')).docsOf(COMMANDS),
  },
];
