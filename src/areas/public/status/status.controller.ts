import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Route } from '#libs/http/route.js';
import { PlatformStatus } from './status.dto.js';
import { StatusService } from './status.service.js';

@Controller('api/public/status')
export class StatusController {
  constructor(private readonly service: StatusService) {}

  @Route({
    id: 'public.status.get',
    summary: 'Read the status of the platform',
    description: 'Measured when you ask; may be cached for five seconds.',
    permission: 'public',
    answer: PlatformStatus,
    problems: ['rate_limit_exceeded', 'unavailable'],
    tag: 'public status',
  })
  @Get()
  read(@Res({ passthrough: true }) reply: FastifyReply): Promise<PlatformStatus> {
    void reply.header('cache-control', 'public, max-age=5');
    return this.service.read();
  }
}
