import { Body, Controller, Param, Query } from '@nestjs/common';
import { routesOf } from '#libs/resource/routes/object-routes.js';
import { documentTemplates } from './document-template.js';
import {
  ChangedTemplate,
  DeletedTemplate,
  type DocumentTemplatePatch,
  DocumentTemplateQuery,
  type NewDocumentTemplate,
} from './document-template.requests.js';
import { DocumentTemplatesService } from './document-templates.service.js';
import { TemplateCatalogue } from './template-catalogue.js';

const TARGET = { scope: '*:read', when: 'For `preview.target`: the read permission of its type.' } as const;
const route = routesOf(documentTemplates, 'admin.document_templates', { permission: 'document-templates:write' });

@Controller(documentTemplates.path)
export class DocumentTemplatesController {
  constructor(
    private readonly templates: DocumentTemplatesService,
    private readonly catalogue: TemplateCatalogue,
  ) {}

  @route.list({
    summary: 'List document templates',
    description: 'The templates of the platform (`isSystem`), and those of the tenant with their unpublished content.',
    permission: 'document-templates:read',
    query: DocumentTemplateQuery,
  })
  list(@Query() query: DocumentTemplateQuery) {
    return this.catalogue.list(query);
  }

  @route.create({
    summary: 'Create a document template',
    description:
      "Creates a draft. Requires `name`, `kind` and `body`, or `copyFrom`. A template is Liquid: it gets its variables, `tenant` and `today`, has the filters `money: currency` (for minor units), `date: format` and `number: digits` in its locale and the tenant’s time zone, and includes other published templates of its format by `{% render 'key' %}`. It reads no files, runs no code, and is refused if it takes more than 250 ms.",
    status: 200,
    record: false,
    answer: ChangedTemplate,
    besides: [TARGET],
    problems: ['duplicate', 'limit_reached'],
    example: { body: { name: 'Letterhead', kind: 'generic', body: '<h1>{{ tenant.name }}</h1>' } },
  })
  create(@Body() input: NewDocumentTemplate) {
    return this.templates.create(input);
  }

  @route.update({
    summary: 'Change, publish, archive or preview a document template',
    description:
      'A JSON merge patch. `publish: true` makes the content the next version, which never changes; a published template stays published while it is edited, with `hasDraft: true`. `preview` renders the template as it is after this change; alone, it changes nothing, and also works for system templates.',
    answer: ChangedTemplate,
    besides: [TARGET],
    problems: ['invalid_transition', 'record_locked', 'system_template'],
    example: { body: { subject: 'Your invoice {{ invoice.number }}', publish: true } },
  })
  update(@Param('id') id: string, @Body() patch: DocumentTemplatePatch) {
    return this.templates.update(id, patch);
  }

  @route.remove({
    summary: 'Delete a document template',
    description: 'Deletes it with its versions. Templates that include it can no longer be rendered.',
    answer: DeletedTemplate,
    problems: ['system_template'],
  })
  remove(@Param('id') id: string) {
    return this.templates.remove(id);
  }
}
