import { Module } from '@nestjs/common';
import { contributesSample } from '#libs/resource/sample/sample-data.js';
import { controllerOf } from '#libs/resource/routes/controller-of.js';
import { calendars } from './calendars/calendar.js';
import { CalendarsRecordsModule } from './calendars/calendars-records.module.js';
import { CalendarsService } from './calendars/calendars.service.js';
import { checklistTemplates } from './checklist-templates/checklist-template.js';
import { ChecklistTemplatesRecordsModule } from './checklist-templates/checklist-templates-records.module.js';
import { ChecklistTemplatesService } from './checklist-templates/checklist-templates.service.js';
import { customFields } from './custom-fields/custom-field.js';
import { CustomFieldsService } from './custom-fields/custom-fields.service.js';
import { OauthGrantsController } from './oauth-grants/oauth-grants.controller.js';
import { OauthGrantsService } from './oauth-grants/oauth-grants.service.js';
import { NotificationsController } from './notifications/notifications.controller.js';
import { NotificationsService } from './notifications/notifications.service.js';
import { ProfileController } from './profile/profile.controller.js';
import { ProfileService } from './profile/profile.service.js';
import { SavedViewsController } from './saved-views/saved-views.controller.js';
import { SavedViewsService } from './saved-views/saved-views.service.js';
import { ViewRules } from './saved-views/view-rules.js';
import { settingsSample } from './settings.sample.js';
import { TagUses } from './tags/tag-uses.js';
import { TagsController } from './tags/tags.controller.js';
import { TagsService } from './tags/tags.service.js';
import { TenantController } from './tenant/tenant.controller.js';
import { TenantService } from './tenant/tenant.service.js';

/** Profile, custom fields, tags, saved views, calendars and checklist templates of a tenant and its people. */
@Module({
  imports: [CalendarsRecordsModule, ChecklistTemplatesRecordsModule],
  controllers: [
    controllerOf(calendars, CalendarsService),
    controllerOf(checklistTemplates, ChecklistTemplatesService),
    controllerOf(customFields, CustomFieldsService),
    NotificationsController,
    OauthGrantsController,
    ProfileController,
    SavedViewsController,
    TagsController,
    TenantController,
  ],
  providers: [
    contributesSample('settings', settingsSample),
    CustomFieldsService,
    NotificationsService,
    OauthGrantsService,
    ProfileService,
    SavedViewsService,
    TagUses,
    TagsService,
    TenantService,
    ViewRules,
  ],
})
export class SettingsModule {}
