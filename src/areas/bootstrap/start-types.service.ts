import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Principal } from '#libs/auth/principal.js';
import { inlineSchemaOf } from '#libs/http/schema.js';
import { cut } from '#libs/kernel/cut.js';
import { CustomFields } from '#libs/resource/records/custom-fields.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { ResourceDefinition } from '#libs/resource/types/definition.js';
import { PipelinesService } from '#src/areas/sales/pipelines/pipelines.service.js';
import { deals } from '#src/areas/sales/sales.area.js';
import { isOff } from './navigation.js';
import type { StartPipeline, StartType } from './start-types.dto.js';

const VERSION_LENGTH = 16;

/** The types of records that the caller may read, with what the tenant has added to them. */
@Injectable()
export class StartTypesService {
  /** Hashes of the declared fields of each type, which are those of the code. */
  private readonly declared = new Map<string, string>();

  constructor(
    private readonly registry: ResourceRegistry,
    private readonly customFields: CustomFields,
    private readonly pipelines: PipelinesService,
  ) {}

  /** By type key, in alphabetical order. */
  async readableBy({ permissions, switchedOff }: Principal): Promise<Record<string, StartType>> {
    const readable = this.registry
      .all()
      .filter(({ permissions: { read }, area }) => permissions.has(read) && !isOff(area, switchedOff))
      .sort((a, b) => (a.type < b.type ? -1 : 1));
    const types: Record<string, StartType> = {};
    for (const definition of readable) types[definition.type] = await this.describe(definition);
    return types;
  }

  private async describe(definition: ResourceDefinition): Promise<StartType> {
    const { type } = definition;
    const customFields = await this.customFields.described(type);
    const pipelines = type === deals.type ? await this.pipelinesOfDeals() : [];
    return { customFields, pipelines, version: digest([this.declaredIn(definition), customFields, pipelines]) };
  }

  private async pipelinesOfDeals(): Promise<StartPipeline[]> {
    const offered = await this.pipelines.offered();
    return offered.map(({ id, name, isDefault, stages }) => ({ id, name, isDefault, stages }));
  }

  private declaredIn({ type, view, create, update }: ResourceDefinition): string {
    const known = this.declared.get(type) ?? digest([view, create, update].map(inlineSchemaOf));
    this.declared.set(type, known);
    return known;
  }
}

function digest(parts: unknown): string {
  return cut(hash('sha256', JSON.stringify(parts)), VERSION_LENGTH);
}
