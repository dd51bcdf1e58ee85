import type { Pool } from 'pg';
import type { MasterKeys } from '#libs/sealing/master-keys.js';

/** A migrated database and its connection settings. */
export interface SiteDatabase {
  adminUrl: string;
  appUrl: string;
  systemUrl: string;
  masterKeys: MasterKeys;
}

export interface OwnDatabase extends SiteDatabase {
  restart(mode: 'fast' | 'immediate', downMs: number): Promise<void>;
  close(): Promise<void>;
}

export function openDatabase(): Promise<OwnDatabase>;

/** A process of the platform. */
export interface SiteProcess {
  /** Base URL of an API. */
  url: string;
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<{ code: number | null; ms: number }>;
}

export interface SiteTenant {
  id: string;
  apiKey: string;
}

/** One request as a tenant. */
export function call(
  api: SiteProcess,
  tenant: SiteTenant,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: unknown }>;

export class Site {
  constructor(database: SiteDatabase);
  /** Resolve when the process is ready. @param env adds or overrides settings */
  startApi(env?: Record<string, string>): Promise<SiteProcess>;
  startWorker(env?: Record<string, string>): Promise<SiteProcess>;
  /** The API process of the site. */
  api(): Promise<SiteProcess>;
  /** Tenants with high limits, each with a key with all permissions. */
  tenants(count: number): Promise<SiteTenant[]>;
  /** Connections without row-level security. */
  readonly admin: Pool;
  rows(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  endWorkers(): Promise<void>;
  close(): Promise<void>;
}
