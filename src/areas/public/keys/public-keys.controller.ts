import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { contentTag } from '#libs/http/answer-headers.js';
import { Route } from '#libs/http/route.js';
import { PublicKeySet } from './public-key.dto.js';
import { PublicKeysService } from './public-keys.service.js';

@Controller('api/public/keys')
export class PublicKeysController {
  constructor(private readonly service: PublicKeysService) {}

  @Route({
    id: 'public.keys.list',
    summary: 'List the public keys of the platform',
    description:
      'A JWK set: the Ed25519 keys that verify checkpoints of audit logs and what is exported. Retired keys stay in it.',
    permission: 'public',
    answer: PublicKeySet,
    record: true,
    problems: ['rate_limit_exceeded', 'unavailable'],
    tag: 'public keys',
  })
  @Get()
  async list(@Res({ passthrough: true }) reply: FastifyReply): Promise<PublicKeySet> {
    const set = await this.service.list();
    void reply.header('etag', contentTag(set)).header('cache-control', 'no-cache');
    return set;
  }
}
