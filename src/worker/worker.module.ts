import { type DynamicModule, Module } from '@nestjs/common';
import { Runner } from '#libs/automation/runner.js';
import { Runs } from '#libs/automation/runs.js';
import { RequestRollup } from '#libs/accounting/request-rollup.js';
import { Database } from '#libs/database/database.js';
import { QueueModule } from '#libs/queue/queue.module.js';
import { MembersModule } from '#libs/members/members.module.js';
import { ResourceModule } from '#libs/resource/resource.module.js';
import { AttemptCounts } from '#libs/webhooks/sending/attempt-counts.js';
import { DeliveryConsumer } from '#libs/webhooks/sending/delivery.consumer.js';
import { DeliveryRepository } from '#libs/webhooks/leases/delivery.repository.js';
import { DeliveryScheduler } from '#libs/webhooks/leases/delivery.scheduler.js';
import { DirectSender } from '#libs/webhooks/sending/direct-sender.js';
import { EndpointMemory } from '#libs/webhooks/lanes/endpoint-memory.js';
import { EventFanOut } from '#libs/webhooks/relay/event-fan-out.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { LaneHealthRecorder } from '#libs/webhooks/lanes/lane-health.recorder.js';
import { LaneHealthRepository } from '#libs/webhooks/lanes/lane-health.repository.js';
import { LaneSweep } from '#libs/webhooks/lanes/lane-sweep.js';
import { LeaseKeeper } from '#libs/webhooks/leases/lease-keeper.js';
import { PayloadSamples } from '#libs/webhooks/sending/payload-samples.js';
import { QueueFigures } from '#libs/webhooks/queue-figures.js';
import { RecoveryRunner } from '#libs/webhooks/recovery/recovery-runner.js';
import { SendingJournal } from '#libs/webhooks/leases/sending-journal.js';
import { SetAsideEvents } from '#libs/webhooks/relay/set-aside-events.js';
import { Settlements } from '#libs/webhooks/sending/settlements.js';
import { SignedRequests } from '#libs/webhooks/sending/signed-requests.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import { WebhookUpkeep } from '#libs/webhooks/webhook-upkeep.js';
import { WorkerPresence } from '#libs/webhooks/leases/worker-presence.js';
import { WebhookWorker } from '#libs/webhooks/webhook-worker.js';
import { MailModule } from '#libs/mail/mail.module.js';
import { AiRecordsModule } from '#src/areas/ai/ai-records.module.js';
import { AI_RUNS } from '#src/areas/ai/runs/providers.js';
import { InvitationsRecordsModule } from '#src/areas/admin/invitations/invitations-records.module.js';
import { SecretsRecordsModule } from '#src/areas/admin/secrets/secrets-records.module.js';
import { ApprovalsRecordsModule } from '#src/areas/home/approvals/approvals-records.module.js';
import { PeopleRecordsModule } from '#src/areas/people/people-records.module.js';
import { SalesRecordsModule } from '#src/areas/sales/sales-records.module.js';
import { FinanceRecordsModule } from '#src/areas/finance/finance-records.module.js';
import { TalentRecordsModule } from '#src/areas/talent/talent-records.module.js';
import { EndpointsModule } from '#src/areas/webhooks/endpoints/endpoints.module.js';
import { WorkRecordsModule } from '#src/areas/work/work-records.module.js';
import { PlatformModule, type ProcessOptions } from '#src/platform/platform.module.js';
import { AiRetentionUpkeep } from '../areas/ai/jobs/ai-retention-upkeep.js';
import { AiWorker } from '../areas/ai/runs/ai-worker.js';
import { AutomationWorker } from '#libs/automation/automation-worker.js';
import { AccountingUpkeep } from '#libs/accounting/accounting-upkeep.js';
import { IdempotencyUpkeep } from '#libs/http/idempotency/idempotency-upkeep.js';
import { LedgerUpkeep } from '../areas/ai/budgets/ledger-upkeep.js';
import { MailWorker } from '#libs/mail/mail-worker.js';
import { RetentionUpkeep } from '#libs/webhooks/retention-upkeep.js';
import { SignInUpkeep } from '../areas/auth/sign-in-upkeep.js';
import { SpendingUpkeep } from '../areas/ai/budgets/spending-upkeep.js';

/** Schema of the queues in PostgreSQL, as `migrate` prepares it. */
const QUEUE_SCHEMA = 'queue';

/** The worker app: what the areas do in the background, and none of their routes. */
@Module({})
export class WorkerModule {
  static forProcess(options: ProcessOptions): DynamicModule {
    const { settings, databaseUrl } = options;
    return {
      module: WorkerModule,
      imports: [
        PlatformModule.forProcess(options),
        QueueModule.forRootAsync({
          useFactory: () => ({ redisUrl: settings.REDIS_URL, databaseUrl, schema: QUEUE_SCHEMA }),
        }),
        ResourceModule,
        MembersModule,
        AiRecordsModule,
        ApprovalsRecordsModule,
        EndpointsModule,
        InvitationsRecordsModule,
        MailModule,
        TalentRecordsModule,
        FinanceRecordsModule,
        PeopleRecordsModule,
        SalesRecordsModule,
        SecretsRecordsModule,
        WorkRecordsModule,
      ],
      providers: [
        ...AI_RUNS,
        AccountingUpkeep,
        AiRetentionUpkeep,
        AiWorker,
        AttemptCounts,
        AutomationWorker,
        DeliveryConsumer,
        DeliveryRepository,
        DeliveryScheduler,
        DirectSender,
        EndpointMemory,
        EventFanOut,
        EventRelay,
        IdempotencyUpkeep,
        LaneHealthRecorder,
        LaneHealthRepository,
        LaneSweep,
        LeaseKeeper,
        LedgerUpkeep,
        MailWorker,
        PayloadSamples,
        QueueFigures,
        RecoveryRunner,
        RequestRollup,
        RetentionUpkeep,
        Runner,
        Runs,
        SendingJournal,
        SetAsideEvents,
        Settlements,
        SignInUpkeep,
        SignedRequests,
        SpendingUpkeep,
        TenantFactsReader,
        WebhookUpkeep,
        WebhookWorker,
        {
          provide: WorkerPresence,
          useFactory: (database: Database) => new WorkerPresence(database, databaseUrl),
          inject: [Database],
        },
      ],
    };
  }
}
