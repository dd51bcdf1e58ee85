import { Body, Controller, Get, Param, Patch, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { ShortListQuery } from '#libs/resource/lists/page-query.js';
import { ChangedGate, GATE_EXAMPLE, GATE_PARAMS, GatePage, GateView, UpdateGate } from './gates.dto.js';
import { GatesService } from './gates.service.js';

@Controller('api/settings/gates')
export class GatesController {
  constructor(private readonly gates: GatesService) {}

  @Route({
    id: 'settings.gates.list',
    summary: 'List gates',
    description:
      'Every gate that the platform knows, by key, with what it holds and how many requests wait at it. One that the tenant has not set is off.',
    permission: 'settings:read',
    query: ShortListQuery,
    answer: GatePage,
    problems: ['cursor_invalid'],
    tag: 'settings gates',
  })
  @Get()
  list(@Query() query: ShortListQuery) {
    return this.gates.list(query);
  }

  @Route({
    id: 'settings.gates.get',
    summary: 'Read a gate',
    permission: 'settings:read',
    params: GATE_PARAMS,
    answer: GateView,
    record: true,
    example: { answer: GATE_EXAMPLE },
    tag: 'settings gates',
  })
  @Get(':id')
  get(@Param('id') key: string) {
    return this.gates.get(key);
  }

  @Route({
    id: 'settings.gates.update',
    summary: 'Change a gate',
    description:
      'Members that are absent stay as they are; lists are replaced. It is a change of the section `gates` of the settings, by the same rules: one that makes the gate easier to pass waits for approval at that very gate, and the answer then has a `pendingApproval`; where the gate denies, owners alone can loosen it.',
    permission: 'settings:manage',
    protected: true,
    params: GATE_PARAMS,
    body: UpdateGate,
    answer: ChangedGate,
    record: true,
    problems: ['stale_version', 'gate_denied', 'approval_pending'],
    example: { body: { enabled: true, quorum: 2 }, answer: { ...GATE_EXAMPLE, quorum: 2, pendingApproval: null } },
    tag: 'settings gates',
  })
  @Patch(':id')
  update(@Param('id') key: string, @Body() patch: Record<string, unknown>) {
    return this.gates.update(key, patch);
  }
}
