import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ANY_OBJECT } from '#libs/auth/current-principal.js';
import { Route } from '#libs/http/route.js';
import { Deleted, pageOf } from '#libs/resource/types/record.dto.js';
import { ChangeChecklistItem, checklists } from '#libs/checklists/checklist.js';
import { keyInPath } from '#libs/http/key-in-path.js';
import { READS_RECORD, RIGHTS } from '#libs/resource/routes/of-record.js';
import { ChecklistQuery, StartChecklist } from './checklist.requests.js';
import { ChecklistsService } from './checklists.service.js';

const SHARED = { besides: [READS_RECORD], tag: 'operations checklists' };
const ANSWER = { answer: checklists.view, record: true, example: { answer: checklists.example } } as const;

@Controller(checklists.path)
export class ChecklistsController {
  constructor(private readonly service: ChecklistsService) {}

  @Route({
    ...SHARED,
    id: 'operations.checklists.list',
    summary: 'List the checklists of a record',
    description: `Oldest first. ${RIGHTS} Offboarding checklists of employees are only visible to assignees and to callers who can read the \`terminationDate\` of the employee.`,
    permission: 'any',
    forPartners: true,
    query: ChecklistQuery,
    answer: pageOf(checklists.view),
    problems: ['permission_denied', 'not_found', 'cursor_invalid'],
  })
  @Get()
  list(@Query() query: ChecklistQuery) {
    return this.service.list(query);
  }

  @Route({
    ...SHARED,
    ...ANSWER,
    id: 'operations.checklists.get',
    summary: 'Read a checklist',
    description: RIGHTS,
    permission: 'any',
    forPartners: true,
    problems: ['permission_denied'],
  })
  @Get(':id')
  get(@Param('id') id: string) {
    return this.service.get(id);
  }

  @Route({
    ...SHARED,
    ...ANSWER,
    id: 'operations.checklists.start',
    summary: 'Start a checklist for a record',
    description: `Copies the items of the template. Items of the role \`owner\` are assigned to the owner of the record; due dates are business days after \`startDate\`. ${RIGHTS}`,
    permission: 'checklists:write',
    besides: [READS_RECORD, { scope: 'checklists:read', when: 'Always: to use the template.' }],
    object: ANY_OBJECT,
    status: 201,
    body: StartChecklist,
    problems: ['record_locked'],
  })
  @Post()
  start(@Body() input: StartChecklist) {
    return this.service.start(input);
  }

  @Route({
    ...SHARED,
    ...ANSWER,
    id: 'operations.checklists.change_item',
    summary: 'Change an item of a checklist',
    description: `A JSON merge patch (RFC 7396) of the item. \`done\` requires the evidence of the item and that the items in \`dependsOn\` are done or skipped; \`skipped\` and \`blocked\` require a \`reason\`. An item cannot be opened again while one that depends on it is done. ${RIGHTS}`,
    permission: 'checklists:write',
    besides: [READS_RECORD, { scope: 'checklists:manage', when: 'To skip a required item.' }],
    object: ANY_OBJECT,
    params: { key: { kind: keyInPath, description: 'Key of the item.' } },
    body: ChangeChecklistItem,
    problems: ['blocked', 'record_locked'],
  })
  @Patch(':id/items/:key')
  change(@Param('id') id: string, @Param('key') key: string, @Body() change: ChangeChecklistItem) {
    return this.service.change(id, key, change);
  }

  @Route({
    ...SHARED,
    id: 'operations.checklists.delete',
    summary: 'Delete a checklist',
    description: RIGHTS,
    permission: 'checklists:manage',
    object: ANY_OBJECT,
    answer: Deleted,
    problems: ['legal_hold', 'record_locked'],
  })
  @Delete(':id')
  remove(@Param('id') id: string) {
    return this.service.remove(id);
  }
}
