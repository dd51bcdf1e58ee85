import { area } from '../area.js';

export const settings = area({
  name: 'settings',
  tags: {
    'settings oauth grants': 'Access granted to partners.',
    'settings notifications': 'How the caller is notified, in the app and by email.',
    'settings profile': 'Name, language, time zone and delegate of the caller.',
    'settings saved views': 'Saved and shared filters, sort orders and columns of lists.',
    'settings tags': 'Managed tags and how many records have them.',
    'settings tenant': 'The caller’s tenant.',
    'settings checklist templates': 'Templates of checklists.',
    'settings calendars': 'Working hours and holidays.',
    'settings custom fields': 'Custom fields of records.',
  },
  entities: async () => (await import('./settings.entities.js')).SETTINGS_ENTITIES,
  routes: async () => (await import('./settings.module.js')).SettingsModule,
});
