import { type DynamicModule, Module } from '@nestjs/common';
import { HttpModule } from '#libs/http/http.module.js';
import { OutboundModule } from '#libs/outbound/outbound.module.js';
import { ResourceModule } from '#libs/resource/resource.module.js';
import { AdminModule } from '#src/areas/admin/admin.module.js';
import { DeveloperModule } from '#src/areas/developer/developer.module.js';
import { SalesModule } from '#src/areas/sales/sales.module.js';
import { WebhooksModule } from '#src/areas/webhooks/webhooks.module.js';
import { PlatformModule, type ProcessOptions } from '#src/platform/platform.module.js';
import { HealthController } from './health.controller.js';
import { ApiHealth } from './health.js';

/** Collections whose path also works without the version segment. `Source:` contract section 2, "Alias". */
export const ALIASED = ['sales/deals'];

/** The REST app. */
@Module({})
export class ApiModule {
  static forProcess(options: ProcessOptions): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        PlatformModule.forProcess(options),
        HttpModule,
        OutboundModule,
        ResourceModule,
        AdminModule,
        DeveloperModule,
        SalesModule,
        WebhooksModule,
      ],
      controllers: [HealthController],
      providers: [ApiHealth],
    };
  }
}
