import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { entryOf } from '#libs/http/command.js';
import { Route } from '#libs/http/route.js';
import { mappings } from './mapping.js';
import { mappingTemplates } from './mapping-template.js';
import { PATH } from './mapping-values.js';
import { MappingTemplatesService, type TemplateInput } from './mapping-templates.service.js';
import { MappingsService } from './mappings.service.js';
import {
  ChangedTalentMapping,
  ChangeTalentMapping,
  createMapping,
  CreateTalentMapping,
  DeletedMappingTemplate,
  mappingInput,
  MappingPreview,
  TalentMappingQuery,
  TalentMappings,
  templateInput,
} from './talent-mapping.requests.js';

const TEMPLATES = 'talent-mapping-templates:manage';
const WRITE = 'talent-mappings:write';

@Controller(PATH)
export class TalentMappingController {
  constructor(
    private readonly service: MappingsService,
    private readonly templates: MappingTemplatesService,
  ) {}

  @Route({
    id: 'admin.talent_mapping.list',
    summary: 'List talent mappings',
    description: 'The mappings of candidates that you can see, newest first, and the fields that templates can copy.',
    permission: 'talent-mappings:read',
    withinReach: true,
    query: TalentMappingQuery,
    answer: TalentMappings,
    problems: ['cursor_invalid'],
  })
  @Get()
  list(@Query() query: Record<string, unknown>) {
    return this.service.list(query);
  }

  @Route({
    id: 'admin.talent_mapping.create',
    summary: 'Create or preview a talent mapping, or create a template',
    description:
      'Each hire creates a mapping by itself; send one to prepare it before the hire. The template with the most matching criteria is used, then the older one, then the default, else a built-in one. An application has one mapping that is not cancelled: a second one gets 409 `mapping_exists`. `type: template` creates a template; `isDefault: true` replaces the previous default.',
    ...entryOf(createMapping),
    body: CreateTalentMapping,
    answer: [mappings.view, mappingTemplates.view, MappingPreview],
    problems: ['mapping_exists', 'record_locked', 'limit_reached', 'grant_exceeds_rights', 'field_forbidden'],
    example: {
      body: { candidateId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b23', values: { startDate: '2027-01-04' } },
      answer: mappings.example,
    },
  })
  @Post()
  create(@Body() input: CreateTalentMapping) {
    if (input.type === 'template') return this.templates.create(templateInput(input));
    return input.preview ? this.service.preview(mappingInput(input)) : this.service.create(mappingInput(input));
  }

  @Route({
    id: 'admin.talent_mapping.change',
    summary: 'Change, apply, retry or cancel a talent mapping',
    description:
      'The worker runs the steps of an applied mapping: pay (if the template copies it), employee, checklist, invitation. Each step takes effect once; the invitation waits until 16 days before the start date, or for `inviteDaysBeforeStart`. A failed step ends in `failed`: change the values, then `retry`. Cancelling a mapping that has begun revokes the invitation and puts the employee into the trash, unless somebody has changed the employee; it also suspends the membership of an accepted invitation. From the start date on, cancelling an `applying` or `applied` mapping gets 409 `employment_begun`; a `failed` one can still be cancelled.',
    permission: WRITE,
    withinReach: true,
    besides: [
      { scope: 'talent-mappings:apply', when: 'To apply or retry, and to cancel a mapping that has begun.' },
      { scope: 'employees.compensation:write', when: 'To apply a mapping whose template copies pay.' },
      { scope: 'members:invite', when: 'To apply a mapping whose template invites the employee.' },
      { scope: 'employees.personal:read', when: 'To apply a mapping whose template copies personal fields.' },
    ],
    body: ChangeTalentMapping,
    answer: ChangedTalentMapping,
    record: true,
    problems: [
      'not_found',
      'invalid_transition',
      'candidate_not_hired',
      'employment_begun',
      'grant_exceeds_rights',
      'gate_denied',
      'step_up_required',
      'field_forbidden',
    ],
    example: { body: { id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1e01', action: 'apply' } },
  })
  @Patch()
  change(@Body() input: ChangeTalentMapping) {
    return this.service.change(input);
  }

  @Route({
    id: 'admin.talent_mapping.templates.update',
    summary: 'Change a template of talent mappings',
    description: 'Mappings that have not begun use the changed template when they are applied; their values stay.',
    permission: TEMPLATES,
    tag: 'admin talent mapping',
    body: mappingTemplates.update,
    answer: mappingTemplates.view,
    record: true,
    problems: ['not_found', 'grant_exceeds_rights', 'field_forbidden'],
  })
  @Patch('templates/:id')
  updateTemplate(@Param('id') id: string, @Body() patch: Partial<TemplateInput>) {
    return this.templates.update(id, patch);
  }

  @Route({
    id: 'admin.talent_mapping.templates.delete',
    summary: 'Delete a template of talent mappings',
    description:
      'The default template gets 409 `record_locked`; a template of mappings that are neither applied nor cancelled gets 409 `in_use`.',
    permission: TEMPLATES,
    tag: 'admin talent mapping',
    answer: DeletedMappingTemplate,
    problems: ['not_found', 'record_locked', 'in_use'],
  })
  @Delete('templates/:id')
  removeTemplate(@Param('id') id: string) {
    return this.templates.remove(id);
  }
}
