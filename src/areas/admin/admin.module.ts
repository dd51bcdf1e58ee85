import { Module } from '@nestjs/common';
import { ProofModule } from '#libs/proof/proof.module.js';
import { WebhooksRecordsModule } from '#src/areas/webhooks/webhooks-records.module.js';
import { AuditExports } from './audit-logs/audit-export.service.js';
import { AuditLogsController } from './audit-logs/audit-logs.controller.js';
import { AuditLogsRepository } from './audit-logs/audit-logs.repository.js';
import { AuditLogsService } from './audit-logs/audit-logs.service.js';
import { AuditProofs } from './audit-logs/audit-proofs.service.js';
import { InvitationsController } from './invitations/invitations.controller.js';
import { InvitationsRecordsModule } from './invitations/invitations-records.module.js';
import { OutboxCommandsService } from './outbox/outbox-commands.service.js';
import { OutboxController } from './outbox/outbox.controller.js';
import { OutboxReferences } from './outbox/outbox-references.js';
import { OutboxService } from './outbox/outbox.service.js';
import { OutboxSummaries } from './outbox/outbox-summaries.js';
import { ScimConfigurationsModule } from './scim-configurations/scim-configurations.module.js';
import { PeopleAdminModule } from './people-admin.module.js';
import { ResourcePermissionsModule } from './resource-permissions/resource-permissions.module.js';
import { SecretsController } from './secrets/secrets.controller.js';
import { SecretsRecordsModule } from './secrets/secrets-records.module.js';
import { MfaRepository } from './security/mfa.repository.js';
import { MfaService } from './security/mfa.service.js';
import { SecurityController } from './security/security.controller.js';
import { SettingsController } from './settings/settings.controller.js';
import { SettingsEvents } from './settings/settings.events.js';
import { SettingsRepository } from './settings/settings.repository.js';
import { SettingsService } from './settings/settings.service.js';

/** Administration of a tenant. */
@Module({
  imports: [
    PeopleAdminModule,
    ProofModule,
    ResourcePermissionsModule,
    ScimConfigurationsModule,
    InvitationsRecordsModule,
    SecretsRecordsModule,
    WebhooksRecordsModule,
  ],
  controllers: [
    AuditLogsController,
    InvitationsController,
    OutboxController,
    SecretsController,
    SecurityController,
    SettingsController,
  ],
  providers: [
    AuditExports,
    AuditLogsRepository,
    AuditLogsService,
    AuditProofs,
    MfaRepository,
    MfaService,
    OutboxCommandsService,
    OutboxReferences,
    OutboxService,
    OutboxSummaries,
    SettingsEvents,
    SettingsRepository,
    SettingsService,
  ],
})
export class AdminModule {}
