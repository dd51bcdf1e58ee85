import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { TenantFacts } from '#libs/tenancy/scope.js';
import { type CustomHeaders, EndpointSecrets } from './endpoint-secrets.js';

// Reads the revision first. The cached data is therefore never older than its revision.
const READ = `
  select id as "endpointId", url, timeout_ms as "timeoutMs", headers_sealed as "headersSealed",
    secret_sealed as "secretSealed", previous_secret_sealed as "previousSecretSealed",
    previous_secret_expires_at as "previousSecretExpiresAt", deleted_at is not null as deleted,
    status = 'enabled' as enabled, disabled_reason is distinct from 'unverified' as trusted, ordering
  from data.webhook_endpoints where tenant_id = $1 and id = any($2::uuid[])`;

const REMEMBERED = 5_000;
/** Decrypted secrets are cached no longer than the data keys. */
const MAX_AGE_MS = 5 * 60_000;

/** The settings of an endpoint that attempts require. */
export interface EndpointSettings {
  endpointId: string;
  url: string;
  timeoutMs: number;
  headersSealed: string | null;
  secretSealed: string;
  previousSecretSealed: string | null;
  previousSecretExpiresAt: string | null;
  deleted: boolean;
  enabled: boolean;
  /** False until it is verified. */
  trusted: boolean;
  ordering: 'none' | 'per_resource';
  /** Its decrypted secrets; null until they are needed. */
  opened: OpenedSettings | null;
}

/** The decrypted secrets of an endpoint. */
export interface OpenedSettings {
  secret: string;
  /** Null if there is none; its grace period may have ended. */
  previousSecret: string | null;
  customHeaders: CustomHeaders;
}

/** A revision of an endpoint. */
export interface EndpointRevision {
  tenant: TenantFacts;
  endpointId: string;
  revision: number;
}

interface Remembered {
  revision: number;
  settings: EndpointSettings;
}

/**
 * A cache of current endpoints. Each change of an endpoint also changes the revision in `webhook_lanes`, in the same
 * transaction.
 */
@Injectable()
export class EndpointMemory {
  private readonly remembered = new LRUCache<string, Remembered>({ max: REMEMBERED, ttl: MAX_AGE_MS });

  constructor(
    private readonly database: Database,
    private readonly secrets: EndpointSecrets,
  ) {}

  /** Settings by endpoint, at least as new as the revisions. Endpoints that do not exist are missing. */
  async find(revisions: readonly EndpointRevision[]): Promise<Map<string, EndpointSettings>> {
    const found = new Map<string, EndpointSettings>();
    const missing = new Map<string, EndpointRevision>();
    for (const each of revisions) {
      const { endpointId, revision } = each;
      const known = this.remembered.get(endpointId);
      if (known?.revision === revision) found.set(endpointId, known.settings);
      else missing.set(endpointId, each);
    }
    if (missing.size > 0) for (const settings of await this.read(missing)) found.set(settings.endpointId, settings);
    return found;
  }

  /** Decrypts the secrets of an endpoint of the current tenant. @throws Error if decryption fails. */
  async open(settings: EndpointSettings): Promise<OpenedSettings> {
    const { endpointId, secretSealed, previousSecretSealed, headersSealed } = settings;
    const [secret, previousSecret, customHeaders] = await Promise.all([
      this.secrets.open(secretSealed, endpointId),
      previousSecretSealed === null ? null : this.secrets.open(previousSecretSealed, endpointId),
      this.secrets.openHeaders(headersSealed, endpointId),
    ]);
    const opened = { secret, previousSecret, customHeaders };
    settings.opened = opened;
    return opened;
  }

  private async read(missing: ReadonlyMap<string, EndpointRevision>): Promise<EndpointSettings[]> {
    const byTenant = Map.groupBy(missing.values(), ({ tenant }) => tenant.id);
    const answers = await this.database.severally(
      Array.from(byTenant.values(), (own) => ({
        tenant: own[0]!.tenant,
        statements: [statement(READ, [own[0]!.tenant.id, own.map(({ endpointId }) => endpointId)])],
      })),
    );
    const rows = answers.flatMap(([answer]) => answer!.rows) as unknown as Omit<EndpointSettings, 'opened'>[]; // named as the members
    const read = rows.map((row) => ({ ...row, opened: null }));
    for (const settings of read) {
      const { revision } = missing.get(settings.endpointId)!;
      this.remembered.set(settings.endpointId, { revision, settings });
    }
    return read;
  }
}
