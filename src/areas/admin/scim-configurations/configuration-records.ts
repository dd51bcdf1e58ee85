import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { Commits } from '#libs/resource/commits.js';
import { CONFIGURATION_TYPE, CONFIGURATIONS_PATH } from './scim-configuration.dto.js';
import { configurationFacts, type ConfigurationVerb } from './scim-configuration.events.js';
import { ScimConfigurationsRepository, type StoredConfiguration } from './scim-configurations.repository.js';

/** Writes configurations with their audit entries and events. */
@Injectable()
export class ConfigurationRecords {
  constructor(
    private readonly repository: ScimConfigurationsRepository,
    private readonly commits: Commits,
  ) {}

  add(
    transaction: Transaction,
    verb: ConfigurationVerb,
    before: StoredConfiguration | null,
    after: StoredConfiguration,
  ): void {
    const save =
      verb === 'deleted'
        ? this.repository.bury(after.id, after.updatedAt)
        : before === null
          ? this.repository.insert(after)
          : this.repository.save(after);
    this.commits.add(transaction, {
      save,
      event: `${CONFIGURATION_TYPE}.${verb}`,
      subject: {
        type: CONFIGURATION_TYPE,
        id: after.id,
        reference: null,
        version: after.version,
        url: CONFIGURATIONS_PATH,
        name: after.name,
      },
      before: before && configurationFacts(before),
      after: configurationFacts(after),
      at: after.updatedAt,
      riskLevel: 'high',
    });
    if (!isDeepStrictEqual(before?.groupRoleMap ?? [], after.groupRoleMap))
      for (const each of this.repository.map(after.id, after.groupRoleMap)) transaction.write(each);
  }
}
