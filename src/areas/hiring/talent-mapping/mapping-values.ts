import { emailAddress } from '#libs/http/email-field.js';
import { civilDate, Field, id, type Kind, listOf, oneOf, text } from '#libs/http/field.js';

/** Path of talent mappings in the API. */
export const PATH = '/api/admin/talent-mapping';

export const EMPLOYMENT_TYPES = ['full_time', 'part_time', 'contractor', 'intern', 'temporary'] as const;
export type EmploymentType = (typeof EMPLOYMENT_TYPES)[number];

const VALUE = { optional: true, nullable: true } as const;
const ids = (max: number): Kind => listOf(id(), { max, unique: true });

/** The values that templates provide and mappings carry. */
abstract class CommonValues {
  @Field(id(), { description: 'Department.', ...VALUE })
  departmentId!: string | null;

  @Field(id(), { description: 'Employee who will be the manager.', ...VALUE })
  managerId!: string | null;

  @Field(oneOf(EMPLOYMENT_TYPES), { description: 'Kind of employment.', example: 'full_time', ...VALUE })
  employmentType!: EmploymentType | null;

  @Field(ids(20), {
    description: 'Roles of the invitation; `member` if empty. Only roles that you may grant.',
    example: [],
    optional: true,
  })
  roleIds!: string[];

  @Field(ids(50), {
    description: 'Workspaces of the invitation; the default workspace if empty.',
    example: [],
    optional: true,
  })
  workspaceIds!: string[];
}

/** Values of the new employee and of the invitation. */
export class MappingValues extends CommonValues {
  @Field(civilDate(), { description: 'First day of work.', example: '2027-01-04', ...VALUE })
  startDate!: string | null;

  @Field(text({ min: 1, max: 200 }), { description: 'Job title.', example: 'Backend engineer', ...VALUE })
  jobTitle!: string | null;

  @Field(emailAddress(), {
    description: 'E-mail address at work. The invitation is sent to the address of the candidate if null.',
    example: 'ada.lovelace@acme.example',
    ...VALUE,
  })
  workEmail!: string | null;
}

export type ValueName = keyof MappingValues;

/** The values that a template provides where hire, offer and job have none. */
export class MappingDefaults extends CommonValues {
  @Field(text({ min: 1, max: 200 }), {
    description: 'Job title. Can contain the placeholders of `workEmail`.',
    ...VALUE,
  })
  jobTitle!: string | null;

  @Field(text({ min: 3, max: 254 }), {
    description:
      'E-mail address at work, with the placeholders `{{firstName}}`, `{{lastName}}` and `{{firstInitial}}`. Names are written in basic Latin letters (`Łukasz` as `lukasz`); a name in another script gets no address.',
    example: '{{firstName}}.{{lastName}}@acme.example',
    ...VALUE,
  })
  workEmail!: string | null;
}

/** Values that a mapping can lack. */
export const REQUIRED_VALUES = ['startDate', 'workEmail'] as const;
export type RequiredValue = (typeof REQUIRED_VALUES)[number];

export const NO_VALUES: MappingValues = {
  startDate: null,
  jobTitle: null,
  departmentId: null,
  managerId: null,
  employmentType: null,
  workEmail: null,
  roleIds: [],
  workspaceIds: [],
};
