import { type DynamicModule, Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Automations } from '#libs/automation/automations.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import { DATABASE_URL, dataSource, type EntityClass } from '#libs/database/data-source.js';
import { Clock, SystemClock } from '#libs/kernel/clock.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { MailModule } from '#libs/mail/mail.module.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { InstallationKeys } from '#libs/sealing/installation-keys.js';
import { MasterKeys } from '#libs/sealing/master-keys.js';
import { Sealer } from '#libs/sealing/sealer.js';

/** Options of a platform process. */
export interface ProcessOptions {
  settings: Settings;
  masterKeys: MasterKeys;
  /** Connection of this kind of process: the app role for the API, the system role for worker and CLI. */
  databaseUrl: string;
  /** Application name of the connection in PostgreSQL, e.g. `platform-api`. */
  name: string;
  entities: EntityClass[];
  /** Whether its work may wait briefly for a connection, see {@link ConnectionOptions}. */
  growsSlowly?: boolean;
  /** A controllable clock, for tests. */
  clock?: Clock;
}

/** Shared by API, worker and CLI: settings, clock, database, keys, event catalogue. */
@Global()
@Module({})
export class PlatformModule {
  static forProcess(options: ProcessOptions): DynamicModule {
    const { settings, masterKeys, databaseUrl, name, entities, growsSlowly = false, clock } = options;
    return {
      module: PlatformModule,
      imports: [MailModule],
      providers: [
        { provide: SETTINGS_TOKEN, useValue: settings },
        { provide: MasterKeys, useValue: masterKeys },
        { provide: DATABASE_URL, useValue: databaseUrl },
        { provide: Clock, useValue: clock ?? new SystemClock() },
        { provide: Cursors, useValue: new Cursors(...masterKeys.derived('cursors')) },
        {
          provide: DataSource,
          useFactory: () =>
            dataSource({
              url: databaseUrl,
              entities,
              poolSize: settings.DATABASE_POOL_SIZE,
              applicationName: name,
              use: { namesStatements: settings.DATABASE_STATEMENTS === 'named', growsSlowly },
            }).initialize(),
        },
        Database,
        InstallationKeys,
        Sealer,
        EventCatalogue,
        Automations,
        Metrics,
      ],
      exports: [
        SETTINGS_TOKEN,
        MasterKeys,
        DATABASE_URL,
        Clock,
        Cursors,
        Database,
        InstallationKeys,
        Sealer,
        EventCatalogue,
        Automations,
        Metrics,
      ],
    };
  }
}
