import { Module } from '@nestjs/common';
import { OutboundClient } from './outbound-client.js';
import { Resolver, SystemResolver } from './resolver.js';

/** Provides the outbound HTTP client and the resolver it uses. The settings come from a global module of the app. */
@Module({
  providers: [{ provide: Resolver, useFactory: () => new SystemResolver() }, OutboundClient],
  exports: [OutboundClient, Resolver],
})
export class OutboundModule {}
