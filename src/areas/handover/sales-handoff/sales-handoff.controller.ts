import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { entryOf } from '#libs/http/command.js';
import { Route } from '#libs/http/route.js';
import { Deleted } from '#libs/resource/types/record.dto.js';
import { HandoffCommands } from './handoff-commands.service.js';
import { handoffs } from './handoff.js';
import {
  changeHandoff,
  ChangeSalesHandoff,
  createHandoff,
  CreateSalesHandoff,
  SalesHandoffPage,
  SalesHandoffQuery,
  SalesHandoffResult,
} from './handoff.requests.js';
import { HANDOFF_PATH, type HandoffTemplate, handoffTemplates } from './handoff-template.js';
import { HandoffTemplatesService } from './handoff-templates.service.js';
import { SalesHandoffService } from './sales-handoff.service.js';

const ID = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20';
const TAG = 'admin sales handoff';

@Controller(HANDOFF_PATH)
export class SalesHandoffController {
  constructor(
    private readonly handoffs: SalesHandoffService,
    private readonly commands: HandoffCommands,
    private readonly templates: HandoffTemplatesService,
  ) {}

  @Route({
    id: 'admin.sales_handoff.list',
    summary: 'List handoffs of deals to delivery',
    description: '`ownerId` selects by sales owner. Figures and warnings do not depend on the filters.',
    permission: 'handoffs:read',
    withinReach: true,
    besides: [{ scope: 'deals:read', when: 'To see warnings.' }],
    query: SalesHandoffQuery,
    answer: SalesHandoffPage,
    problems: ['cursor_invalid'],
    tag: TAG,
  })
  @Get()
  list(@Query() query: Record<string, unknown>) {
    return this.handoffs.list(query);
  }

  @Route({
    id: 'admin.sales_handoff.create',
    summary: 'Create a handoff or a handoff template',
    description:
      'A handoff copies its template: later changes of the template do not affect it. Its checklist is about the deal and also found in `/api/operations/checklists`. `handoff-templates:manage` is enough to create a template, and required for it.',
    ...entryOf(createHandoff),
    besides: [{ scope: 'deals:read', when: 'To create a handoff.' }],
    body: CreateSalesHandoff,
    answer: [handoffs.view, handoffTemplates.view],
    problems: ['handoff_exists', 'deal_not_won', 'limit_reached', 'duplicate'],
    example: { body: { dealId: ID }, answer: handoffs.example },
    tag: TAG,
  })
  @Post()
  create(@Body() input: CreateSalesHandoff) {
    return this.handoffs.create(input);
  }

  @Route({
    id: 'admin.sales_handoff.change',
    summary: 'Change a handoff, or take an action on it',
    description:
      'All changes and the action are made together or not at all. The delivery owner, and holders of `handoffs:accept`, accept and return; nobody accepts what they have submitted. After the acceptance a worker creates the project, links the deal and its contacts, plans the kick-off, drafts the deposit invoice, and completes the handoff.',
    ...entryOf(changeHandoff),
    besides: [{ scope: 'checklists:manage', when: 'To skip a required item.' }],
    body: ChangeSalesHandoff,
    answer: SalesHandoffResult,
    record: true,
    problems: [
      'not_found',
      'not_by_oneself',
      'invalid_transition',
      'handoff_incomplete',
      'deal_not_won',
      'record_locked',
      'blocked',
    ],
    example: { body: { id: ID, action: 'submit' }, answer: { ...handoffs.example, status: 'submitted', effects: [] } },
    tag: TAG,
  })
  @Patch()
  change(@Body() input: ChangeSalesHandoff) {
    return this.commands.run(input);
  }

  @Route({
    id: 'admin.sales_handoff.update_template',
    summary: 'Change a handoff template',
    description:
      'A JSON merge patch (RFC 7396): absent members stay as they are, null empties a field. Existing handoffs do not change.',
    permission: 'handoff-templates:manage',
    body: handoffTemplates.update,
    answer: handoffTemplates.view,
    record: true,
    problems: ['in_use', 'duplicate'],
    example: { body: { depositPercent: 30 }, answer: handoffTemplates.example },
    tag: TAG,
  })
  @Patch('templates/:id')
  updateTemplate(@Param('id') id: string, @Body() patch: Partial<HandoffTemplate>) {
    return this.templates.update(id, patch);
  }

  @Route({
    id: 'admin.sales_handoff.delete_template',
    summary: 'Delete a handoff template',
    description: 'Handoffs keep what they copied from it. The default template cannot be deleted.',
    permission: 'handoff-templates:manage',
    answer: Deleted,
    problems: ['not_found', 'in_use'],
    tag: TAG,
  })
  @Delete('templates/:id')
  removeTemplate(@Param('id') id: string) {
    return this.templates.remove(id);
  }
}
