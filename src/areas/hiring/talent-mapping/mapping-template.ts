import { VersionedRow } from '#libs/database/tenant-row.js';
import { Field, flag, id, integer, type Kind, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { Attribute } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { EMPLOYMENT_TYPES, type EmploymentType, MappingDefaults, PATH } from './mapping-values.js';

export const TRANSFORMS = ['copy', 'trim', 'lowercase', 'uppercase', 'first', 'join'] as const;
export type Transform = (typeof TRANSFORMS)[number];

const CRITERION = { optional: true } as const;
const ids = (): Kind => listOf(id(), { max: 100, unique: true });
const path = (sources: string): Kind =>
  text({
    min: 3,
    max: 100,
    pattern: new RegExp(String.raw`^(${sources})\.(customFields\.)?[a-zA-Z][a-zA-Z0-9_]*$`),
    form: 'a path of the catalogue `fields`, such as candidate.phones or employee.customFields.shirt_size',
  });

/** Criteria of a template. A criterion applies if its list is not empty. */
export class TemplateMatch {
  @Field(ids(), { description: 'Job of the application.', example: [], ...CRITERION })
  jobIds?: string[];

  @Field(ids(), { description: 'Department of the hire, or else of the job.', example: [], ...CRITERION })
  departmentIds?: string[];

  @Field(listOf(oneOf(EMPLOYMENT_TYPES), { max: EMPLOYMENT_TYPES.length, unique: true }), {
    description: 'Kind of employment in the accepted offer, or else in the job.',
    example: ['full_time'],
    ...CRITERION,
  })
  employmentTypes?: EmploymentType[];

  @Field(
    listOf(text({ min: 2, max: 2, pattern: /^[A-Z]{2}$/, form: 'an ISO 3166-1 alpha-2 code in capitals' }), {
      max: 100,
      unique: true,
    }),
    {
      description: 'Country of the job, or else of the candidate: ISO 3166-1 alpha-2.',
      example: ['DE'],
      ...CRITERION,
    },
  )
  countries?: string[];
}

/** Copies a field of the candidate, the application or the accepted offer to the employee. */
export class FieldMapping {
  @Field(path('candidate|application|offer'), {
    description: 'Field to copy, see `fields.candidate` of the list.',
    example: 'candidate.phones',
  })
  from!: string;

  @Field(path('employee'), {
    description: 'Field of the employee, see `fields.employee` of the list.',
    example: 'employee.phone',
  })
  to!: string;

  @Field(oneOf(TRANSFORMS), {
    description:
      '`copy` (default), `trim`, `lowercase` and `uppercase` for texts, `first` for the first item of a list, `join` for a list as text with commas.',
    example: 'first',
    optional: true,
  })
  transform?: Transform;
}

/** How hired candidates become employees. */
export class MappingTemplate extends VersionedRow {
  @Attribute(name(), 'Name.', { example: 'Engineering' })
  name!: string;

  @Attribute(flag(), 'Whether it is used where no other template matches. A tenant has at most one default.', {
    default: false,
  })
  isDefault!: boolean;

  @Attribute(
    nested(TemplateMatch),
    'Criteria, all of which must match. Without criteria, only a default template is chosen automatically. Replaced as a whole.',
    { default: {}, example: { employmentTypes: ['full_time'] } },
  )
  match!: TemplateMatch;

  @Attribute(nested(MappingDefaults), 'Values where hire, offer and job have none. Replaced as a whole.', {
    default: {},
    example: { workEmail: '{{firstName}}.{{lastName}}@acme.example' },
  })
  defaults!: Partial<MappingDefaults>;

  @Attribute(listOf(nested(FieldMapping), { max: 50 }), 'Further fields to copy to the employee.', {
    default: [],
    example: [{ from: 'candidate.phones', to: 'employee.phone', transform: 'first' }],
  })
  fieldMap!: FieldMapping[];

  @Attribute(id(), 'Checklist template of the onboarding.', { nullable: true })
  onboardingTemplateId!: string | null;

  @Attribute(flag(), 'Whether the employee is invited to become a member. Requires an address at work.', {
    default: false,
  })
  createMembership!: boolean;

  @Attribute(
    flag(),
    'Whether the pay of the accepted offer is copied. Only if a person or key with `employees.compensation:write` applies the mapping.',
    { default: false },
  )
  copyPay!: boolean;

  @Attribute(
    integer({ min: 0, max: 365 }),
    'Days before the start date at which the invitation is sent; when the mapping is applied if null. Never earlier than 16 days before the start date.',
    { example: 7, nullable: true },
  )
  inviteDaysBeforeStart!: number | null;
}

export const mappingTemplates = governedType(MappingTemplate, {
  type: 'talent.mapping_template',
  noun: 'mapping template',
  table: 'data.talent_mapping_templates',
  path: PATH,
  hasPath: false,
  risk: 'medium',
  limit: { max: 100, detail: 'A tenant can have 100 mapping templates.' },
  events: {
    created: 'A template of talent mappings was created.',
    updated: 'A template of talent mappings changed.',
    deleted: 'A template of talent mappings was deleted.',
  },
});

/** The facts about a template that its mappings use. */
export type Plan = Pick<
  MappingTemplate,
  'defaults' | 'fieldMap' | 'onboardingTemplateId' | 'createMembership' | 'copyPay' | 'inviteDaysBeforeStart'
>;

/** Used where the tenant has no template that fits. */
export const BUILT_IN: Plan = {
  defaults: {},
  fieldMap: [],
  onboardingTemplateId: null,
  createMembership: false,
  copyPay: false,
  inviteDaysBeforeStart: null,
};
