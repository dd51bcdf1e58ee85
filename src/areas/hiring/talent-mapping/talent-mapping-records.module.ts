import { Module } from '@nestjs/common';
import { GuarantorsModule } from '#libs/auth/guarantors.module.js';
import { ChecklistsModule } from '#libs/checklists/checklists.module.js';
import { PeopleRecordsModule } from '#src/areas/people/people-records.module.js';
import { CalendarsRecordsModule } from '#src/areas/settings/calendars/calendars-records.module.js';
import { ChecklistTemplatesRecordsModule } from '#src/areas/settings/checklist-templates/checklist-templates-records.module.js';
import { TalentRecordsModule } from '#src/areas/talent/talent-records.module.js';
import { InvitationsRecordsModule } from '#src/areas/access/invitations/invitations-records.module.js';
import { HiredMappings } from './hired-mappings.flow.js';
import { MappedEmployee } from './mapped-employee.js';
import { MappingDrafts } from './mapping-drafts.js';
import { MappingFields } from './mapping-fields.js';
import { MappingInvitations } from './mapping-invitations.js';
import { MappingRights } from './mapping-rights.js';
import { MappingRuns } from './mapping-runs.js';
import { MappingSources } from './mapping-sources.js';
import { MappingSteps } from './mapping-steps.js';
import { MappingTemplatesService } from './mapping-templates.service.js';
import { MappingUndo } from './mapping-undo.js';
import { MappingsService } from './mappings.service.js';
import { MovedStarts } from './moved-starts.flow.js';
import { ValueChecks } from './value-checks.js';

/** Talent mappings without routes, for the worker, which creates them for hires and runs their steps. */
@Module({
  imports: [
    CalendarsRecordsModule,
    ChecklistsModule,
    ChecklistTemplatesRecordsModule,
    GuarantorsModule,
    InvitationsRecordsModule,
    PeopleRecordsModule,
    TalentRecordsModule,
  ],
  providers: [
    HiredMappings,
    MappedEmployee,
    MappingDrafts,
    MappingFields,
    MappingInvitations,
    MappingRights,
    MappingRuns,
    MappingSources,
    MappingSteps,
    MappingTemplatesService,
    MappingUndo,
    MappingsService,
    MovedStarts,
    ValueChecks,
  ],
  exports: [MappingTemplatesService, MappingsService],
})
export class TalentMappingRecordsModule {}
