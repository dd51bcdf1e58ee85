import { Body, Controller, Get, Patch, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { SECTION_PERMISSIONS } from '#libs/settings/settings.model.js';
import { ChangedSettings, SettingsQuery, SettingsView, UpdateSettings } from './settings.dto.js';
import { SETTINGS_EXAMPLE } from './settings.events.js';
import { SettingsService } from './settings.service.js';

@Controller('api/admin/settings')
export class SettingsController {
  constructor(private readonly settings: SettingsService) {}

  @Route({
    id: 'admin.settings.get',
    summary: 'Read the settings of the tenant',
    permission: 'settings:read',
    query: SettingsQuery,
    answer: SettingsView,
    record: true,
    example: { answer: SETTINGS_EXAMPLE },
  })
  @Get()
  get(@Query() { section }: SettingsQuery) {
    return this.settings.read(section);
  }

  @Route({
    id: 'admin.settings.update',
    summary: 'Change the settings of the tenant',
    description:
      'A JSON merge patch (RFC 7396) of the sections: omitted members stay unchanged, null resets a value to its default. The section `finance` only requires the scope `settings.finance:manage`, the section `developer` only `settings.developer:manage`. Changing `gates` or `security` is a protected operation. A change that makes a gate easier to pass needs approval at this gate first, and the response contains `pendingApproval`. If the gate denies, only owners, and service keys with all rights of an owner, can relax it. Only owners lower `data.trashDays` and turn `data.exportNeedsApproval` off. The base currency (`finance.baseCurrency`) can be changed until the first posting; after that the request returns 409 `base_currency_fixed`.',
    permission: 'settings:manage',
    protected: ['gates', 'security'],
    parts: Object.values(SECTION_PERMISSIONS),
    body: UpdateSettings,
    answer: ChangedSettings,
    record: true,
    problems: ['stale_version', 'base_currency_fixed', 'number_used', 'in_use', 'gate_denied', 'approval_pending'],
    example: {
      body: { version: 2, finance: { paymentTermsDays: 14 } },
      answer: { ...SETTINGS_EXAMPLE, changed: ['finance.paymentTermsDays'], pendingApproval: null },
    },
  })
  @Patch()
  update(@Body() patch: Record<string, unknown>) {
    return this.settings.change(patch);
  }
}
