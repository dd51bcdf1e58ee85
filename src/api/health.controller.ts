import { Controller, Get } from '@nestjs/common';
import { Field, listOf, oneOf, text } from '#libs/http/field.js';
import { Route } from '#libs/http/route.js';
import { Problem } from '#libs/kernel/problem.js';
import { ApiHealth } from './health.js';

export class HealthStatus {
  @Field(oneOf(['ok']), { description: 'Always `ok`; failures get 503.', example: 'ok' })
  status!: 'ok';

  @Field(listOf(text({ max: 40 }), { max: 10 }), {
    description: 'Checks that passed.',
    example: ['database', 'migrations'],
  })
  checks!: string[];
}

export class Readiness {
  @Field(oneOf(['ok', 'degraded']), {
    description:
      '`degraded` while no worker runs or nothing can be stored; requests that read are still served. A process that is not ready returns 503.',
    example: 'ok',
  })
  status!: 'ok' | 'degraded';

  @Field(listOf(text({ max: 40 }), { max: 10 }), {
    description: 'Checks that passed.',
    example: ['database', 'migrations'],
  })
  checks!: string[];

  @Field(oneOf(['up', 'down']), {
    description:
      'Whether a worker is connected to the database. Without one, deliveries, mails, AI jobs and automations wait but are not lost.',
    example: 'up',
  })
  worker!: 'up' | 'down';

  @Field(oneOf(['ok', 'full']), {
    description:
      '`full` after the database has refused to store something because its disk or memory is full, until writes succeed again. Requests that write get 503 meanwhile.',
    example: 'ok',
  })
  storage!: 'ok' | 'full';
}

@Controller('health')
export class HealthController {
  constructor(private readonly health: ApiHealth) {}

  @Route({
    id: 'health.live',
    summary: 'Whether the process runs',
    permission: 'public',
    answer: HealthStatus,
    tag: 'health',
  })
  @Get('live')
  live(): HealthStatus {
    return { status: 'ok', checks: [] };
  }

  @Route({
    id: 'health.ready',
    summary: 'Whether the process can serve requests',
    permission: 'public',
    answer: Readiness,
    problems: ['unavailable'],
    tag: 'health',
  })
  @Get('ready')
  async ready(): Promise<Readiness> {
    const { faults, worker, full } = await this.health.find();
    if (faults.length > 0)
      throw new Problem('unavailable', `Not ready: ${faults.join(', ')}.`, { headers: { 'retry-after': '1' } });
    const checks = ['database', 'migrations'];
    return {
      status: worker && !full ? 'ok' : 'degraded',
      checks,
      worker: worker ? 'up' : 'down',
      storage: full ? 'full' : 'ok',
    };
  }
}
