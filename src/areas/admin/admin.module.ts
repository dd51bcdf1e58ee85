import { Module } from '@nestjs/common';
import { ApprovalsRecordsModule } from '#src/areas/home/approvals/approvals-records.module.js';
import { CalendarsRecordsModule } from '#src/areas/settings/calendars/calendars-records.module.js';
import { ChecklistTemplatesRecordsModule } from '#src/areas/settings/checklist-templates/checklist-templates-records.module.js';
import { ProofModule } from '#libs/proof/proof.module.js';
import { WebhooksRecordsModule } from '#src/areas/webhooks/webhooks-records.module.js';
import { AccessReviewsModule } from './access-reviews/access-reviews.module.js';
import { AdminMetricsModule } from './admin-metrics.module.js';
import { AuditExports } from './audit-logs/audit-export.service.js';
import { AuditLogsController } from './audit-logs/audit-logs.controller.js';
import { AuditLogsRepository } from './audit-logs/audit-logs.repository.js';
import { AuditLogsService } from './audit-logs/audit-logs.service.js';
import { AuditProofs } from './audit-logs/audit-proofs.service.js';
import { AuditStreamTests } from './audit-streams/audit-stream-tests.service.js';
import { AuditStreamsController } from './audit-streams/audit-streams.controller.js';
import { AuditStreamsRecordsModule } from './audit-streams/audit-streams-records.module.js';
import { EvidenceModule } from './evidence/evidence.module.js';
import { InvitationsController } from './invitations/invitations.controller.js';
import { InvitationsRecordsModule } from './invitations/invitations-records.module.js';
import { OnboardingModule } from './onboarding/onboarding.module.js';
import { OutboxCommandsService } from './outbox/outbox-commands.service.js';
import { OutboxController } from './outbox/outbox.controller.js';
import { OutboxReferences } from './outbox/outbox-references.js';
import { OutboxService } from './outbox/outbox.service.js';
import { OutboxSummaries } from './outbox/outbox-summaries.js';
import { RetentionController } from './retention/retention.controller.js';
import { RetentionRecordsModule } from './retention/retention-records.module.js';
import { RetentionService } from './retention/retention.service.js';
import { ScimConfigurationsModule } from './scim-configurations/scim-configurations.module.js';
import { PeopleAdminModule } from './people-admin.module.js';
import { ResourcePermissionsModule } from './resource-permissions/resource-permissions.module.js';
import { OverviewModule } from './overview/overview.module.js';
import { PerformanceModule } from './performance/performance.module.js';
import { SalesHandoffModule } from './sales-handoff/sales-handoff.module.js';
import { ScorecardsController } from './scorecards/scorecards.controller.js';
import { ScorecardsService } from './scorecards/scorecards.service.js';
import { ServiceCards } from './scorecards/service-cards.js';
import { ServiceFiguresRepository } from './scorecards/service-figures.repository.js';
import { SecretsController } from './secrets/secrets.controller.js';
import { SecretsRecordsModule } from './secrets/secrets-records.module.js';
import { MfaRepository } from './security/mfa.repository.js';
import { MfaService } from './security/mfa.service.js';
import { PostureChanges } from './security/posture/posture-changes.service.js';
import { PostureController } from './security/posture/posture.controller.js';
import { PostureRecordsModule } from './security/posture/posture-records.module.js';
import { SecurityController } from './security/security.controller.js';
import { GatesController } from './settings/gates.controller.js';
import { GatesService } from './settings/gates.service.js';
import { NumberSeriesController } from './settings/number-series/number-series.controller.js';
import { NumberSeriesService } from './settings/number-series/number-series.service.js';
import { SeriesRules } from './settings/number-series/series-rules.js';
import { SettingsController } from './settings/settings.controller.js';
import { SettingsEvents } from './settings/settings.events.js';
import { SettingsRepository } from './settings/settings.repository.js';
import { SettingsService } from './settings/settings.service.js';
import { SlaReportModule } from './sla-report/sla-report.module.js';
import { SloModule } from './slo/slo.module.js';
import { TalentMappingModule } from './talent-mapping/talent-mapping.module.js';

/** Administration of a tenant. */
@Module({
  imports: [
    AccessReviewsModule,
    AdminMetricsModule,
    ApprovalsRecordsModule,
    AuditStreamsRecordsModule,
    CalendarsRecordsModule,
    ChecklistTemplatesRecordsModule,
    EvidenceModule,
    PeopleAdminModule,
    PerformanceModule,
    PostureRecordsModule,
    ProofModule,
    ResourcePermissionsModule,
    RetentionRecordsModule,
    ScimConfigurationsModule,
    InvitationsRecordsModule,
    OnboardingModule,
    OverviewModule,
    SalesHandoffModule,
    SecretsRecordsModule,
    SlaReportModule,
    SloModule,
    TalentMappingModule,
    WebhooksRecordsModule,
  ],
  controllers: [
    AuditLogsController,
    AuditStreamsController,
    GatesController,
    InvitationsController,
    NumberSeriesController,
    ScorecardsController,
    OutboxController,
    PostureController,
    RetentionController,
    SecretsController,
    SecurityController,
    SettingsController,
  ],
  providers: [
    AuditExports,
    AuditLogsRepository,
    AuditLogsService,
    GatesService,
    AuditProofs,
    AuditStreamTests,
    MfaRepository,
    MfaService,
    NumberSeriesService,
    OutboxCommandsService,
    OutboxReferences,
    OutboxService,
    OutboxSummaries,
    PostureChanges,
    RetentionService,
    ScorecardsService,
    SeriesRules,
    ServiceCards,
    ServiceFiguresRepository,
    SettingsEvents,
    SettingsRepository,
    SettingsService,
  ],
})
export class AdminModule {}
