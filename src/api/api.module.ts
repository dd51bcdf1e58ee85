import { type DynamicModule, Module } from '@nestjs/common';
import { HttpModule } from '#libs/http/http.module.js';
import { KpiModule } from '#libs/kpi/kpi.module.js';
import { OutboundModule } from '#libs/outbound/outbound.module.js';
import { JobsModule } from '#libs/jobs/jobs.module.js';
import { MembersModule } from '#libs/members/members.module.js';
import { ResourceModule } from '#libs/resource/resource.module.js';
import { TenantsModule } from '#libs/tenants/tenants.module.js';
import { AccessModule } from '#src/areas/access/access.module.js';
import { AssuranceModule } from '#src/areas/assurance/assurance.module.js';
import { SalesHandoffModule } from '#src/areas/handover/sales-handoff/sales-handoff.module.js';
import { TalentMappingModule } from '#src/areas/hiring/talent-mapping/talent-mapping.module.js';
import { ServiceLevelsModule } from '#src/areas/service-levels/service-levels.module.js';
import { SetupModule } from '#src/areas/setup/setup.module.js';
import { SharingModule } from '#src/areas/sharing/sharing.module.js';
import { VaultModule } from '#src/areas/vault/vault.module.js';
import { OpsCommandModule } from '#src/areas/ops-command/ops-command.module.js';
import { AiModule } from '#src/areas/ai/ai.module.js';
import { AuthModule } from '#src/areas/auth/auth.module.js';
import { OAUTH } from '#src/areas/auth/oauth/oauth.dialect.js';
import { BootstrapModule } from '#src/areas/bootstrap/bootstrap.module.js';
import { DeveloperModule } from '#src/areas/developer/developer.module.js';
import { DiscoveryModule } from '#src/areas/discovery/discovery.module.js';
import { FinanceModule } from '#src/areas/finance/finance.module.js';
import { PublicModule } from '#src/areas/public/public.module.js';
import { InsightsModule } from '#src/areas/insights/insights.module.js';
import { InvitationsModule } from '#src/areas/invitations/invitations.module.js';
import { ObservabilityModule } from '#src/areas/observability/observability.module.js';
import { OperationsModule } from '#src/areas/operations/operations.module.js';
import { ProcessIntelligenceModule } from '#src/areas/process-intelligence/process-intelligence.module.js';
import { ReportsModule } from '#src/areas/reports/reports.module.js';
import { HomeModule } from '#src/areas/home/home.module.js';
import { PeopleModule } from '#src/areas/people/people.module.js';
import { SalesModule } from '#src/areas/sales/sales.module.js';
import { TalentModule } from '#src/areas/talent/talent.module.js';
import { TimelineModule } from '#src/areas/timeline/timeline.module.js';
import { SCIM } from '#src/areas/scim/scim.dialect.js';
import { ScimModule } from '#src/areas/scim/scim.module.js';
import { SettingsModule } from '#src/areas/settings/settings.module.js';
import { WebhooksModule } from '#src/areas/webhooks/webhooks.module.js';
import { WorkModule } from '#src/areas/work/work.module.js';
import { PlatformModule, type ProcessOptions } from '#src/platform/platform.module.js';
import { HealthController } from './health.controller.js';
import { ApiHealth } from './health.js';

/** Aliases below `/api` for collections below `/api/v1`. */
export const ALIASES = {
  'finance/invoices': 'finance/invoices',
  'intelligence/agents': 'intelligence/agents',
  'people/employees': 'people/employees',
  'sales/deals': 'sales/deals',
  'settings/pipelines': 'sales/pipelines',
  'settings/task-states': 'work/task-states',
  'talent/candidates': 'talent/candidates',
  'work/projects': 'work/projects',
};

/** Path prefixes with their own request and error formats. */
export const DIALECTS = [...OAUTH, SCIM];

/** The REST app. */
@Module({})
export class ApiModule {
  static forProcess(options: ProcessOptions): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        PlatformModule.forProcess(options),
        HttpModule,
        OutboundModule,
        ResourceModule,
        JobsModule,
        KpiModule,
        MembersModule,
        TenantsModule,
        AccessModule,
        AssuranceModule,
        SalesHandoffModule,
        TalentMappingModule,
        ServiceLevelsModule,
        SetupModule,
        SharingModule,
        VaultModule,
        OpsCommandModule,
        AiModule,
        AuthModule,
        BootstrapModule,
        DeveloperModule,
        DiscoveryModule,
        FinanceModule,
        InsightsModule,
        InvitationsModule,
        PublicModule,
        ObservabilityModule,
        OperationsModule,
        ProcessIntelligenceModule,
        ReportsModule,
        HomeModule,
        PeopleModule,
        SalesModule,
        ScimModule,
        TalentModule,
        TimelineModule,
        SettingsModule,
        WebhooksModule,
        WorkModule,
      ],
      controllers: [HealthController],
      providers: [ApiHealth],
    };
  }
}
