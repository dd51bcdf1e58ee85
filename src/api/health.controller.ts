import { Controller, Get } from '@nestjs/common';
import { Field, listOf, oneOf, text } from '#libs/http/field.js';
import { Route } from '#libs/http/route.js';
import { Problem } from '#libs/kernel/problem.js';
import { ApiHealth } from './health.js';

export class HealthStatus {
  @Field(oneOf(['ok']), { description: 'Always ok; anything else is a 503.', example: 'ok' })
  status!: 'ok';

  @Field(listOf(text({ max: 40 }), { max: 10 }), {
    description: 'What was checked.',
    example: ['database', 'migrations'],
  })
  checks!: string[];
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
    answer: HealthStatus,
    problems: ['unavailable'],
    tag: 'health',
  })
  @Get('ready')
  async ready(): Promise<HealthStatus> {
    const faults = await this.health.faults();
    if (faults.length > 0)
      throw new Problem('unavailable', `Not ready: ${faults.join(', ')}.`, { headers: { 'retry-after': '1' } });
    return { status: 'ok', checks: ['database', 'migrations'] };
  }
}
