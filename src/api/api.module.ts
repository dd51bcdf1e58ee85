import { type DynamicModule, Module } from '@nestjs/common';
import { FilesModule } from '#libs/files/files.module.js';
import { HttpModule } from '#libs/http/http.module.js';
import { MeasuresModule } from '#libs/measures/measures.module.js';
import { OutboundModule } from '#libs/outbound/outbound.module.js';
import { JobsModule } from '#libs/jobs/jobs.module.js';
import { MembersModule } from '#libs/members/members.module.js';
import { ResourceModule } from '#libs/resource/resource.module.js';
import { TenantsModule } from '#libs/tenants/tenants.module.js';
import { controllerOf } from '#libs/resource/routes/controller-of.js';
import { moduleOf, roomsOf } from '#src/areas/area.js';
import { AREAS } from '#src/areas/areas.js';
import { OAUTH } from '#src/areas/auth/oauth/oauth.dialect.js';
import { SCIM } from '#src/areas/scim/scim.dialect.js';
import { PlatformModule, type ProcessOptions } from '#src/platform/platform.module.js';
import { HealthController } from './health.controller.js';
import { ApiHealth } from './health.js';

/** Aliases below `/api` for collections below `/api/v1`. */
export const ALIASES = {
  'finance/invoices': 'finance/invoices',
  'intelligence/agents': 'intelligence/agents',
  'people/employees': 'people/employees',
  'sales/deals': 'sales/deals',
  'settings/pipelines': 'sales/pipelines',
  'settings/task-states': 'work/task-states',
  'talent/candidates': 'talent/candidates',
  'work/projects': 'work/projects',
};

/** Path prefixes with their own request and error formats. */
export const DIALECTS = [...OAUTH, SCIM];

/** The REST app. */
@Module({})
export class ApiModule {
  static async forProcess(options: ProcessOptions): Promise<DynamicModule> {
    const modules = await Promise.all(AREAS.map(async ({ routes }) => (routes ? [await routes()] : [])));
    const rooms = await roomsOf(AREAS);
    return {
      module: ApiModule,
      imports: [
        PlatformModule.forProcess(options),
        FilesModule,
        HttpModule,
        OutboundModule,
        ResourceModule,
        JobsModule,
        MeasuresModule,
        MembersModule,
        TenantsModule,
        ...modules.flat(),
        ...rooms.map((room) => moduleOf(room, [controllerOf(room.type, room.service)])),
      ],
      controllers: [HealthController],
      providers: [ApiHealth],
    };
  }
}
