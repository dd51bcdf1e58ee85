import { command } from '#libs/http/command.js';
import {
  Field,
  fieldsOf,
  flag,
  id,
  instant,
  integer,
  listOf,
  nested,
  oneOf,
  text,
  anyObject,
} from '#libs/http/field.js';
import { within } from '#libs/kernel/action.js';
import { notWith, Problem } from '#libs/kernel/problem.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { model, PageInfo } from '#libs/resource/types/record.dto.js';
import { StepTarget } from '#libs/steps/step.js';
import { Mapping, MappingListQuery, mappings } from './mapping.js';
import { MappableField } from './mapping-fields.js';
import { MAPPING_ACTIONS, type MappingAction, mappingLife } from './mapping.rules.js';
import { mappingTemplates } from './mapping-template.js';
import type { ShownTemplate, TemplateInput } from './mapping-templates.service.js';
import { MappingValues, REQUIRED_VALUES, type RequiredValue } from './mapping-values.js';

export type ShownMapping = ShownObject<Omit<Mapping, 'startDate' | 'given' | 'promise'>>;

const TYPES = ['mapping', 'template'] as const;
const MAX_FIELDS = 500;

const OF_MAPPING = {
  candidateId: { kind: id(), description: 'For a mapping: candidate.', optional: true },
  templateId: {
    kind: id(),
    description: 'For a mapping: template; the best match by default.',
    optional: true,
  },
  values: {
    kind: nested(MappingValues),
    description: 'For a mapping: values that replace those of hire, offer, job and template.',
    optional: true,
  },
};
const OF_TEMPLATE = Object.fromEntries(
  [...fieldsOf(mappingTemplates.create)].map(([field, spec]) => [
    field,
    { ...spec, description: `For a template: ${spec.description}`, optional: true },
  ]),
);

/** Creates a mapping or a template. */
export const CreateTalentMapping = model('CreateTalentMapping', {
  type: {
    kind: oneOf(TYPES),
    description: 'Type to create; `mapping` by default.',
    example: 'mapping',
    optional: true,
  },
  preview: {
    kind: flag(),
    description: 'Only show the employee and the invitation of a mapping. Nothing is stored. False by default.',
    example: false,
    optional: true,
  },
  ...OF_MAPPING,
  ...OF_TEMPLATE,
});

export const createMapping = command(
  CreateTalentMapping,
  {
    mapping: {
      may: [within('talent-mappings:write')],
      needs: ['candidateId'],
      takes: Object.keys(OF_MAPPING).filter((member) => member !== 'candidateId'),
    },
    template: {
      may: [{ permission: 'talent-mapping-templates:manage' }],
      needs: ['name'],
      takes: Object.keys(OF_TEMPLATE).filter((member) => member !== 'name'),
    },
  },
  { by: 'type', otherwise: 'mapping' },
);

export interface MappingInput {
  candidateId: string;
  templateId?: string;
  values?: Partial<MappingValues>;
}
export type CreateTalentMapping = { type?: (typeof TYPES)[number]; preview?: boolean } & Partial<MappingInput> &
  Partial<TemplateInput>;

export class ChangeTalentMapping {
  @Field(id(), { description: 'The mapping.' })
  id!: string;

  @Field(nested(MappingValues), {
    description: 'Values to change; null empties one. Set before the action is taken.',
    example: { startDate: '2027-02-01' },
    optional: true,
  })
  values?: Partial<MappingValues>;

  @Field(oneOf(MAPPING_ACTIONS), {
    description:
      '`apply` starts the steps of a `ready` mapping. `retry` continues a `failed` one at the failed step. `cancel` ends it, and reverts what it has created.',
    example: 'apply',
    optional: true,
  })
  action?: MappingAction;

  @Field(text({ min: 1, max: 500 }), { description: 'Reason, for the audit log.', optional: true })
  reason?: string;
}

export const changeMapping = command(ChangeTalentMapping, mappingLife.transitions, { by: 'action' });

const EFFECTS = ['planned', 'reverted', 'kept'] as const;

export class MappingEffect {
  @Field(text({ max: 60 }), { description: 'Key of the step, or `membership`.', example: 'employee' })
  key!: string;

  @Field(oneOf(EFFECTS), {
    description:
      '`planned`: the step will run. `reverted`: the record was removed, the invitation revoked or the membership suspended. `kept`: it was not, because somebody has changed the employee or accepted the invitation.',
    example: 'planned',
  })
  status!: (typeof EFFECTS)[number];

  @Field(nested(StepTarget), { description: 'The record.', nullable: true })
  target!: StepTarget | null;
}

export const ChangedTalentMapping = model('ChangedTalentMapping', {
  ...Object.fromEntries(fieldsOf(mappings.view)),
  effects: {
    kind: listOf(nested(MappingEffect), { max: 10 }),
    description: 'Effects that the action has started or reverted.',
    example: [{ key: 'employee', status: 'planned', target: null }],
  },
});
export type ChangedTalentMapping = ShownMapping & { effects: MappingEffect[] };

export class PlannedInvitation {
  @Field(text({ max: 254 }), { description: 'Address.', example: 'ada.lovelace@acme.example', nullable: true })
  email!: string | null;

  @Field(listOf(id(), { max: 20 }), { description: 'Roles.', example: [] })
  roleIds!: string[];

  @Field(listOf(id(), { max: 50 }), { description: 'Workspaces; the default one if empty.', example: [] })
  workspaceIds!: string[];

  @Field(instant(), { description: 'Time at which it would be sent, if applied now.', nullable: true })
  sendAt!: string | null;

  @Field(integer({ min: 1, max: 30 }), { description: 'Days for which it is valid.', example: 30, nullable: true })
  validDays!: number | null;
}

/** What a mapping would create. */
export class MappingPreview {
  @Field(id(), { description: 'Template; null for the built-in one.', nullable: true })
  templateId!: string | null;

  @Field(listOf(oneOf(REQUIRED_VALUES), { max: REQUIRED_VALUES.length }), {
    description: 'Required values that are null.',
    example: [],
  })
  missing!: RequiredValue[];

  @Field(anyObject(), {
    description: 'The new employee, without pay. Personal fields only with `employees.personal:read`.',
    example: { name: 'Ada Lovelace', jobTitle: 'Backend engineer', status: 'pending' },
  })
  employee!: Record<string, unknown>;

  @Field(nested(PlannedInvitation), { description: 'The invitation; null if nobody is invited.', nullable: true })
  invitation!: PlannedInvitation | null;
}

export const TalentMappingQuery = model('TalentMappingQuery', {
  ...Object.fromEntries(fieldsOf(MappingListQuery)),
  include: {
    kind: listOf(oneOf(['templates']), { min: 1, max: 1 }),
    description: '`templates` adds all templates.',
    optional: true,
  },
});

export class MappableFields {
  @Field(listOf(nested(MappableField), { max: MAX_FIELDS }), {
    description: 'Fields of candidate, application and accepted offer.',
  })
  candidate!: MappableField[];

  @Field(listOf(nested(MappableField), { max: MAX_FIELDS }), { description: 'Fields of the employee.' })
  employee!: MappableField[];
}

export class TalentMappings {
  @Field(listOf(nested(mappings.view), { max: 200 }), { description: 'The mappings of this page, newest first.' })
  data!: ShownMapping[];

  @Field(listOf(nested(mappingTemplates.view), { max: 100 }), {
    description: 'All templates, oldest first; only with `include=templates`.',
    optional: true,
  })
  templates?: ShownTemplate[];

  @Field(nested(PageInfo), { description: 'Paging information.' })
  page!: PageInfo;

  @Field(nested(MappableFields), { description: 'Fields that templates can copy.' })
  fields!: MappableFields;
}

export class DeletedMappingTemplate {
  @Field(id(), { description: 'Id of the template.' })
  id!: string;

  @Field(flag(), { description: 'Always true.', example: true })
  deleted!: boolean;
}

/** The input for a new mapping. */
export function mappingInput({ type: _t, preview: _p, ...input }: CreateTalentMapping): MappingInput {
  return input as MappingInput; // as checked
}

/** The input for a new template. @throws Problem 400. */
export function templateInput({ type: _t, preview, ...input }: CreateTalentMapping) {
  if (preview) throw Problem.validation([{ pointer: '/preview', ...notWith('type', 'Only mappings have a preview.') }]);
  return input as Pick<TemplateInput, 'name'> & Partial<TemplateInput>; // as checked
}
