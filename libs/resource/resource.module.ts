import { Global, Module } from '@nestjs/common';
import { Commits } from './commits.js';
import { GaplessSeries } from './gapless-series.js';
import { NumberSeries } from './number-series.js';
import { ResourceKit } from './resource-kit.js';
import { ResourceRegistry } from './resource-registry.js';

/** What resource services are made of. */
@Global()
@Module({
  providers: [Commits, GaplessSeries, NumberSeries, ResourceRegistry, ResourceKit],
  exports: [Commits, GaplessSeries, ResourceKit, ResourceRegistry],
})
export class ResourceModule {}
