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

export class Site {
  constructor(database: SiteDatabase);
  /** Resolve when the process is ready. @param env adds or overrides settings */
  startApi(env?: Record<string, string>): Promise<unknown>;
  startWorker(env?: Record<string, string>): Promise<unknown>;
  endWorkers(): Promise<void>;
  close(): Promise<void>;
}
