import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { DEFAULT_SETTINGS } from '#libs/settings/settings.model.js';
import { SETTINGS_PATH, SETTINGS_TYPE, SettingsView } from './settings.dto.js';

/** Settings as the API shows them, for the documentation. */
export const SETTINGS_EXAMPLE = {
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b01',
  object: SETTINGS_TYPE,
  version: 3,
  updatedAt: '2026-11-21T09:15:02.114Z',
  updatedBy: { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Back office' },
  defaults: ['general.legalName', 'general.country', 'general.timezone'],
  ...DEFAULT_SETTINGS,
  finance: { ...DEFAULT_SETTINGS.finance, paymentTermsDays: 14, baseCurrency: 'USD' },
};

/** Declares the event about settings when the process starts. */
@Injectable()
export class SettingsEvents implements OnModuleInit {
  constructor(private readonly registry: ResourceRegistry) {}

  onModuleInit(): void {
    this.registry.declareObject({
      type: SETTINGS_TYPE,
      told: SettingsView,
      events: { updated: 'Settings of the tenant changed.' },
      example: SETTINGS_EXAMPLE,
      path: SETTINGS_PATH,
      hasPath: false,
    });
  }
}
