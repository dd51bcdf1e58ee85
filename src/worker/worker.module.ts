import { type DynamicModule, Inject, Module, type OnModuleDestroy, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { AccountingWorkerModule } from '#libs/request-counts/accounting-worker.module.js';
import { AutomationWorkerModule } from '#libs/automation/automation-worker.module.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { DATABASE_URL } from '#libs/database/data-source.js';
import { Database } from '#libs/database/database.js';
import { OutageProblem } from '#libs/database/failures.js';
import { FilesModule } from '#libs/files/files.module.js';
import { FilesWorkerModule } from '#libs/files/files-worker.module.js';
import { IdempotencyWorkerModule } from '#libs/http/idempotency/idempotency-worker.module.js';
import { MeasuresModule } from '#libs/measures/measures.module.js';
import { MailWorkerModule } from '#libs/mail/mail-worker.module.js';
import { JobsModule } from '#libs/jobs/jobs.module.js';
import { JobsWorkerModule } from '#libs/jobs/jobs-worker.module.js';
import { MembersModule } from '#libs/members/members.module.js';
import { ProofWorkerModule } from '#libs/proof/proof-worker.module.js';
import { QueueModule } from '#libs/queue/queue.module.js';
import type { ReportError } from '#libs/queue/queue-store.js';
import { logErrors } from '#libs/queue/queues.js';
import { ResourceModule } from '#libs/resource/resource.module.js';
import { TenantsModule } from '#libs/tenants/tenants.module.js';
import { TenantsWorkerModule } from '#libs/tenants/tenants-worker.module.js';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { type Area, moduleOf, roomsOf } from '#src/areas/area.js';
import { AREAS } from '#src/areas/areas.js';
import { webhooks } from '#src/areas/webhooks/webhooks.manifest.js';
import { PlatformModule, type ProcessOptions } from '#src/platform/platform.module.js';
import { DataKeyWorkerModule } from './data-key-upkeep.js';

/** Schema of the queues in PostgreSQL, created by `migrate`. */
const QUEUE_SCHEMA = 'queue';

/** Background work that belongs to no area. */
const PARTS: readonly Type<WorkerPart>[] = [
  AutomationWorkerModule,
  JobsWorkerModule,
  IdempotencyWorkerModule,
  AccountingWorkerModule,
  ProofWorkerModule,
  MailWorkerModule,
  FilesWorkerModule,
  TenantsWorkerModule,
  DataKeyWorkerModule,
];

/** The modules whose work is started, in this order. */
const STARTED = Symbol('started');

function loaded<T>(lists: (readonly (() => Promise<T>)[] | undefined)[]): Promise<T[]> {
  return Promise.all(lists.flatMap((list = []) => list.map((load) => load())));
}

/** Reports errors of queues in the database, whose outages `Database` logs once. */
function exceptOutages(database: Database, report: ReportError): ReportError {
  return (queue, error) => {
    if (!(database.problemOf(error) instanceof OutageProblem)) report(queue, error);
  };
}

/** The worker app: the background work of all areas, without routes. */
@Module({})
export class WorkerModule implements OnModuleDestroy {
  constructor(
    private readonly modules: ModuleRef,
    @Inject(STARTED) private readonly started: readonly Type<WorkerPart>[],
  ) {}

  /** Deliveries start first. */
  static async forProcess(options: ProcessOptions): Promise<DynamicModule> {
    const areas: Area[] = [webhooks, ...AREAS.filter((area) => area !== webhooks)];
    const records = await loaded(areas.map((area) => area.records));
    const background = await loaded(areas.map((area) => area.background));
    const rooms = await roomsOf(areas);
    const started = [...background, ...PARTS];
    return {
      module: WorkerModule,
      imports: [
        PlatformModule.forProcess(options),
        QueueModule.forRootAsync({
          inject: [SETTINGS_TOKEN, DATABASE_URL, Database],
          useFactory: ({ REDIS_URL: redisUrl }: Settings, databaseUrl: string, database: Database) => ({
            redisUrl,
            databaseUrl,
            schema: QUEUE_SCHEMA,
            ...(redisUrl === null && { report: exceptOutages(database, logErrors()) }),
          }),
        }),
        FilesModule,
        ResourceModule,
        JobsModule,
        MeasuresModule,
        MembersModule,
        TenantsModule,
        ...started,
        ...records,
        ...rooms.map((room) => moduleOf(room)),
      ],
      providers: [{ provide: STARTED, useValue: started }],
    };
  }

  /** Starts all background work; resolves when deliveries are running. */
  start(): Promise<void> {
    return this.work.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.work.stop();
  }

  private get work(): WorkerPart {
    return new WorkerPart(
      ...this.started.flatMap((part) => this.modules.get<WorkerPart>(part, { strict: false }).work),
    );
  }
}
