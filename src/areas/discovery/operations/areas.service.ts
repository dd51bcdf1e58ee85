import { Injectable } from '@nestjs/common';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { featureOf } from '#libs/auth/features.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { Problem } from '#libs/kernel/problem.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import type { PageQuery } from '#libs/resource/lists/page-query.js';
import { TypeCatalogue } from '../types/type-catalogue.js';
import { type KnownOperation, OperationCatalogue } from './operation-catalogue.js';
import type { AreaDetail, AreaList, DiscoveredArea } from './operation.dto.js';
import { OperationsService } from './operations.service.js';

/** Words written in capitals. */
const ACRONYM = /^(ai|scim)$/;

/** The functional areas of the API. */
@Injectable()
export class AreasService {
  constructor(
    private readonly catalogue: OperationCatalogue,
    private readonly operations: OperationsService,
    private readonly types: TypeCatalogue,
    private readonly cursors: Cursors,
  ) {}

  async list(query: PageQuery): Promise<AreaList> {
    const areas = Map.groupBy((await this.catalogue.all()).values(), ({ area }) => area);
    const views = [...areas]
      .map(([key, operations]) => ({ id: key, ...this.view(key, operations) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    return pageOfAll(views, query, this.cursors, ['discovery.areas']);
  }

  /** @throws Problem 404. */
  async get(key: string): Promise<AreaDetail> {
    const operations = [...(await this.catalogue.all()).values()].filter(({ area }) => area === key);
    if (operations.length === 0) throw Problem.notFound();
    const { tags = [] } = await this.catalogue.document();
    const about = new Map(tags.map(({ name, description }) => [name, description ?? '']));
    const groups = Map.groupBy(operations, ({ operation }) => operation.tags![0]!);
    return {
      ...this.view(key, operations),
      groups: [...groups].map(([name, own]) => ({
        name,
        about: about.get(name)!,
        operations: own.map(({ id }) => id),
      })),
    };
  }

  private view(key: string, operations: readonly KnownOperation[]): DiscoveredArea {
    const feature = featureOf(operations[0]!.id);
    return {
      key,
      title: titleOf(key),
      status: feature !== null && currentPrincipal().switchedOff.has(feature) ? 'disabled' : 'enabled',
      operations: operations.length,
      allowed: operations.filter((each) => this.operations.isAllowed(each)).length,
      types: this.types.ofArea(key).map(({ object }) => object),
      links: {
        self: `/api/discovery/areas/${key}`,
        operations: `/api/discovery/operations?area=${key}`,
        types: `/api/discovery/types?area=${key}`,
        tools: `/api/discovery/tools?area=${key}`,
      },
    };
  }
}

function titleOf(key: string): string {
  const words = key.split('-').map((word) => (ACRONYM.test(word) ? word.toUpperCase() : word));
  const text = words.join(' ');
  return text[0]!.toUpperCase() + text.slice(1);
}
