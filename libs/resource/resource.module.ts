import { Global, Module } from '@nestjs/common';
import { Commits } from './commits.js';
import { NumberSeries } from './number-series.js';
import { ResourceKit } from './resource-kit.js';
import { ResourceRegistry } from './resource-registry.js';

/** What resource services are made of. */
@Global()
@Module({
  providers: [Commits, NumberSeries, ResourceRegistry, ResourceKit],
  exports: [Commits, ResourceKit, ResourceRegistry],
})
export class ResourceModule {}
