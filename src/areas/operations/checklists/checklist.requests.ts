import { civilDate, Field, id, nested, text } from '#libs/http/field.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { ChecklistSubject } from '#libs/checklists/checklist.js';

const SUBJECT = /^[a-z_]+\.[a-z_]+:[0-9a-f-]{36}$/;

export class ChecklistQuery extends PageQuery {
  @Field(
    text({ min: 1, max: 120, pattern: SUBJECT, form: 'the type and the id of a record, as `work.project:<id>`' }),
    {
      description: 'The record: its type and id, separated by a colon.',
      example: 'work.project:019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
    },
  )
  subject!: string;
}

export class StartChecklist {
  @Field(id(), { description: 'Template with the items.' })
  templateId!: string;

  @Field(nested(ChecklistSubject), { description: 'Record that the checklist is about.' })
  subject!: ChecklistSubject;

  @Field(civilDate(), {
    description: 'Date from which due dates count, in business days; today by default.',
    example: '2026-11-30',
    optional: true,
  })
  startDate?: string;
}
