import { area } from '../area.js';

export const vault = area({
  name: 'vault',
  tags: {
    'admin secrets': 'Credentials that the platform uses for the tenant. Values are write-only.',
  },
  entities: async () => (await import('./vault.entities.js')).VAULT_ENTITIES,
  routes: async () => (await import('./vault.module.js')).VaultModule,
  records: [async () => (await import('./secrets/secrets-records.module.js')).SecretsRecordsModule],
});
