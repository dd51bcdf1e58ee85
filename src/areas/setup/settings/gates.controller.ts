import { Body, Controller, Get, Param, Patch, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { ChangedGate, GATE_EXAMPLE, GATE_PARAMS, GatePage, GateView, UpdateGate } from './gates.dto.js';
import { GatesService } from './gates.service.js';

@Controller('api/settings/gates')
export class GatesController {
  constructor(private readonly gates: GatesService) {}

  @Route({
    id: 'settings.gates.list',
    summary: 'List gates',
    description:
      'Every gate of the platform, ordered by key, with the actions that it holds and the number of pending requests. A gate that the tenant has not set is off.',
    permission: 'settings:read',
    query: PageQuery,
    answer: GatePage,
    problems: ['cursor_invalid'],
    tag: 'settings gates',
  })
  @Get()
  list(@Query() query: PageQuery) {
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
      'Omitted members stay unchanged; lists are replaced. This changes the section `gates` of the settings, under the same rules. A change that makes the gate easier to pass needs approval at this gate first, and the response contains `pendingApproval`. If the gate denies, only owners can relax it.',
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
