import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { type ScimConfiguration, scimConfigurations } from './scim-configuration.js';
import { ScimConfigurationsRepository } from './scim-configurations.repository.js';

/** Writes configurations with their group mapping, which is in a separate table. */
@Injectable()
export class ConfigurationRecords {
  readonly objects: GovernedObjects<ScimConfiguration>;

  constructor(
    kit: ResourceKit,
    private readonly repository: ScimConfigurationsRepository,
  ) {
    this.objects = new GovernedObjects(scimConfigurations, kit, {}, repository);
  }

  add(transaction: Transaction, own: Parameters<GovernedObjects<ScimConfiguration>['add']>[1]): void {
    const { id } = this.objects.add(transaction, own);
    if (own.groupRoleMap.length > 0) this.map(transaction, id, own.groupRoleMap);
  }

  change(
    transaction: Transaction,
    before: ScimConfiguration,
    changes: Partial<ScimConfiguration>,
    event: string,
  ): void {
    const { id, groupRoleMap } = this.objects.change(transaction, before, changes, event);
    if (!isDeepStrictEqual(before.groupRoleMap, groupRoleMap)) this.map(transaction, id, groupRoleMap);
  }

  private map(transaction: Transaction, id: string, mapping: ScimConfiguration['groupRoleMap']): void {
    for (const each of this.repository.map(id, mapping)) transaction.write(each);
  }
}
