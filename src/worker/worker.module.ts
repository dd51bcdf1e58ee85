import { type DynamicModule, Module, type OnModuleDestroy } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { AccountingWorkerModule } from '#libs/accounting/accounting-worker.module.js';
import { AutomationWorkerModule } from '#libs/automation/automation-worker.module.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { DATABASE_URL } from '#libs/database/data-source.js';
import { IdempotencyWorkerModule } from '#libs/http/idempotency/idempotency-worker.module.js';
import { KpiModule } from '#libs/kpi/kpi.module.js';
import { MailWorkerModule } from '#libs/mail/mail-worker.module.js';
import { JobsModule } from '#libs/jobs/jobs.module.js';
import { MembersModule } from '#libs/members/members.module.js';
import { ProofWorkerModule } from '#libs/proof/proof-worker.module.js';
import { QueueModule } from '#libs/queue/queue.module.js';
import { ResourceModule } from '#libs/resource/resource.module.js';
import { TenantsModule } from '#libs/tenants/tenants.module.js';
import { TenantsWorkerModule } from '#libs/tenants/tenants-worker.module.js';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { AccessMetricsModule } from '#src/areas/access/access-metrics.module.js';
import { AccessWorkerModule } from '#src/areas/access/access-worker.module.js';
import { AccessReviewsRecordsModule } from '#src/areas/access/access-reviews/access-reviews-records.module.js';
import { AuditStreamsWorkerModule } from '#src/areas/assurance/audit-streams/audit-streams-worker.module.js';
import { InvitationsRecordsModule } from '#src/areas/access/invitations/invitations-records.module.js';
import { PostureWorkerModule } from '#src/areas/assurance/security/posture/posture-worker.module.js';
import { RetentionWorkerModule } from '#src/areas/assurance/retention/retention-worker.module.js';
import { SalesHandoffRecordsModule } from '#src/areas/handover/sales-handoff/sales-handoff-records.module.js';
import { SecretsRecordsModule } from '#src/areas/vault/secrets/secrets-records.module.js';
import { SloWorkerModule } from '#src/areas/service-levels/slo/slo-worker.module.js';
import { TalentMappingRecordsModule } from '#src/areas/hiring/talent-mapping/talent-mapping-records.module.js';
import { AiWorkerModule } from '#src/areas/ai/ai-worker.module.js';
import { AuthWorkerModule } from '#src/areas/auth/auth-worker.module.js';
import { FinanceRecordsModule } from '#src/areas/finance/finance-records.module.js';
import { ApprovalsRecordsModule } from '#src/areas/home/approvals/approvals-records.module.js';
import { HomeWorkerModule } from '#src/areas/home/home-worker.module.js';
import { InsightsWorkerModule } from '#src/areas/insights/insights-worker.module.js';
import { PeopleRecordsModule } from '#src/areas/people/people-records.module.js';
import { PublicWorkerModule } from '#src/areas/public/public-worker.module.js';
import { ReportsWorkerModule } from '#src/areas/reports/reports-worker.module.js';
import { SalesRecordsModule } from '#src/areas/sales/sales-records.module.js';
import { PublicLinksRecordsModule } from '#src/areas/sharing/public-links/public-links-records.module.js';
import { TalentRecordsModule } from '#src/areas/talent/talent-records.module.js';
import { WebhooksMetricsModule } from '#src/areas/webhooks/webhooks-metrics.module.js';
import { WebhooksWorkerModule } from '#src/areas/webhooks/webhooks-worker.module.js';
import { WorkRecordsModule } from '#src/areas/work/work-records.module.js';
import { PlatformModule, type ProcessOptions } from '#src/platform/platform.module.js';
import { DataKeyWorkerModule } from './data-key-upkeep.js';

/** Schema of the queues in PostgreSQL, created by `migrate`. */
const QUEUE_SCHEMA = 'queue';

/** Background parts in start order: deliveries first. */
const PARTS = [
  WebhooksWorkerModule,
  AiWorkerModule,
  AutomationWorkerModule,
  IdempotencyWorkerModule,
  AccountingWorkerModule,
  ProofWorkerModule,
  AuditStreamsWorkerModule,
  MailWorkerModule,
  AuthWorkerModule,
  AccessWorkerModule,
  HomeWorkerModule,
  PostureWorkerModule,
  PublicWorkerModule,
  RetentionWorkerModule,
  TenantsWorkerModule,
  DataKeyWorkerModule,
  SloWorkerModule,
  ReportsWorkerModule,
  InsightsWorkerModule,
];

/** Areas with flows and timers. */
const AUTOMATED = [
  AccessReviewsRecordsModule,
  ApprovalsRecordsModule,
  FinanceRecordsModule,
  InvitationsRecordsModule,
  PeopleRecordsModule,
  PublicLinksRecordsModule,
  SalesHandoffRecordsModule,
  SalesRecordsModule,
  SecretsRecordsModule,
  TalentMappingRecordsModule,
  TalentRecordsModule,
  WorkRecordsModule,
];

/** The worker app: the background work of all areas, without routes. */
@Module({})
export class WorkerModule implements OnModuleDestroy {
  constructor(private readonly modules: ModuleRef) {}

  static forProcess(options: ProcessOptions): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        PlatformModule.forProcess(options),
        QueueModule.forRootAsync({
          inject: [SETTINGS_TOKEN, DATABASE_URL],
          useFactory: ({ REDIS_URL: redisUrl }: Settings, databaseUrl: string) => ({
            redisUrl,
            databaseUrl,
            schema: QUEUE_SCHEMA,
          }),
        }),
        ResourceModule,
        JobsModule,
        KpiModule,
        AccessMetricsModule,
        WebhooksMetricsModule,
        MembersModule,
        TenantsModule,
        ...PARTS,
        ...AUTOMATED,
      ],
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
    return new WorkerPart(...PARTS.map((part) => this.modules.get<WorkerPart>(part, { strict: false })));
  }
}
