import { Module } from '@nestjs/common';
import { ApprovalsRecordsModule } from '#src/areas/home/approvals/approvals-records.module.js';
import { CalendarsRecordsModule } from '#src/areas/settings/calendars/calendars-records.module.js';
import { ChecklistTemplatesRecordsModule } from '#src/areas/settings/checklist-templates/checklist-templates-records.module.js';
import { OnboardingModule } from './onboarding/onboarding.module.js';
import { GatesController } from './settings/gates.controller.js';
import { NumberSeriesController } from './settings/number-series/number-series.controller.js';
import { SettingsController } from './settings/settings.controller.js';
import { GatesService } from './settings/gates.service.js';
import { NumberSeriesService } from './settings/number-series/number-series.service.js';
import { SeriesRules } from './settings/number-series/series-rules.js';
import { SettingsEvents } from './settings/settings.events.js';
import { SettingsRepository } from './settings/settings.repository.js';
import { SettingsService } from './settings/settings.service.js';

/** Settings of the tenant for its administrators, and its first steps. */
@Module({
  imports: [ApprovalsRecordsModule, CalendarsRecordsModule, ChecklistTemplatesRecordsModule, OnboardingModule],
  controllers: [GatesController, NumberSeriesController, SettingsController],
  providers: [GatesService, NumberSeriesService, SeriesRules, SettingsEvents, SettingsRepository, SettingsService],
})
export class SetupModule {}
