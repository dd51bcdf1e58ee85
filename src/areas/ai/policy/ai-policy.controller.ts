import { Body, Controller, Get, Patch, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import {
  AiPolicyPage,
  AiPolicyQuery,
  AiPolicyVersionQuery,
  AiPolicyView,
  POLICY_EXAMPLE,
  UpdateAiPolicy,
} from './ai-policy.dto.js';
import { AiPolicyService } from './ai-policy.service.js';

@Controller('api/ai/policy')
export class AiPolicyController {
  constructor(private readonly policy: AiPolicyService) {}

  @Route({
    id: 'ai.policy.get',
    summary: 'Read the AI policy, as it is or as it was',
    permission: 'ai-jobs:read',
    query: AiPolicyQuery,
    answer: AiPolicyView,
    record: true,
    problems: ['not_found'],
    example: { answer: POLICY_EXAMPLE },
  })
  @Get()
  get(@Query() { version }: AiPolicyQuery) {
    return version === undefined ? this.policy.read() : this.policy.readVersion(version);
  }

  @Route({
    id: 'ai.policy.update',
    summary: 'Change the AI policy',
    description:
      'A JSON merge patch (RFC 7396): absent members stay as they are, null gives a value back to its default, lists are replaced. Every change is a new version; jobs that wait are judged by it again before they start.',
    permission: 'ai-policy:manage',
    body: UpdateAiPolicy,
    answer: AiPolicyView,
    record: true,
    example: {
      body: {
        personalData: 'block',
        approvalRules: [{ when: { kinds: ['agent.run'], costOverMicros: 500_000 }, quorum: 2 }],
      },
      answer: POLICY_EXAMPLE,
    },
  })
  @Patch()
  update(@Body() patch: Record<string, unknown>) {
    return this.policy.change(patch);
  }

  @Route({
    id: 'ai.policy.versions',
    summary: 'List the versions of the AI policy',
    permission: 'ai-jobs:read',
    query: AiPolicyVersionQuery,
    answer: AiPolicyPage,
    problems: ['cursor_invalid'],
    example: { answer: { data: [POLICY_EXAMPLE], page: { limit: 50, hasMore: false, nextCursor: null } } },
  })
  @Get('versions')
  listVersions(@Query() query: Record<string, unknown>) {
    return this.policy.listVersions(query);
  }
}
