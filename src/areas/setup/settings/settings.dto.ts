import {
  constant,
  Field,
  fieldsOf,
  id,
  instant,
  integer,
  listOf,
  nested,
  oneOf,
  text,
  type ModelClass,
} from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { PendingApproval } from '#libs/resource/gates/approval.parts.js';
import { ActorView, model } from '#libs/resource/types/record.dto.js';
import type { CompleteGate } from '#libs/settings/gate.model.js';
import {
  type BrandingSettings,
  DataSettings,
  DEFAULT_SETTINGS,
  type DeveloperSettings,
  type FeatureSettings,
  FinanceSettings,
  type GeneralSettings,
  type PeopleSettings,
  type SalesSettings,
  type SecuritySettings,
  SettingsValues,
  type TalentSettings,
} from '#libs/settings/settings.model.js';
import type { ScorecardSettings } from '#libs/settings/scorecard.model.js';

/** Type key of the settings; also the prefix of its event types. */
export const SETTINGS_TYPE = 'admin.settings';
/** Path of the settings in the API. */
export const SETTINGS_PATH = '/api/admin/settings';
export const SECTIONS = Object.keys(DEFAULT_SETTINGS) as (keyof SettingsValues)[];

const version = integer({ min: 1, max: 2_147_483_647 });
const path = () => text({ max: 200 });

export class SettingsQuery {
  @Field(oneOf(SECTIONS), { description: 'Only this section.', optional: true })
  section!: keyof SettingsValues;
}

class FinanceSettingsView extends FinanceSettings {
  @Field(currencyCode(), {
    description:
      'ISO 4217 code of the base currency, the default for amounts. It can be changed until the first posting: an issued invoice, a payment or the cost of an AI job.',
    example: 'USD',
  })
  baseCurrency!: string;
}

/** The effective settings with their version. */
export class SettingsView {
  @Field(id(), { description: 'Id of the tenant.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b01' })
  id!: string;

  @Field(constant(SETTINGS_TYPE), { description: 'Type of the record.', example: SETTINGS_TYPE })
  object!: string;

  @Field(version, { description: 'Increases by one with each change; also the ETag.', example: 3 })
  version!: number;

  @Field(instant(), { description: 'Time of the last change; null if they were never changed.', nullable: true })
  updatedAt!: string | null;

  @Field(nested(ActorView), { description: 'Author of the last change.', nullable: true })
  updatedBy!: ActorView | null;

  @Field(listOf(path(), { max: 200 }), {
    description: 'Paths of values that the tenant has not set, for which the default applies.',
    example: ['general.timezone'],
  })
  defaults!: string[];

  @Field(section('general').kind, { description: section('general').description, optional: true })
  general?: GeneralSettings;

  @Field(nested(FinanceSettingsView), { description: section('finance').description, optional: true })
  finance?: FinanceSettingsView;

  @Field(section('sales').kind, { description: section('sales').description, optional: true })
  sales?: SalesSettings;

  @Field(section('people').kind, { description: section('people').description, optional: true })
  people?: PeopleSettings;

  @Field(section('talent').kind, { description: section('talent').description, optional: true })
  talent?: TalentSettings;

  @Field(section('scorecards').kind, { description: section('scorecards').description, optional: true })
  scorecards?: ScorecardSettings;

  @Field(section('security').kind, { description: section('security').description, optional: true })
  security?: SecuritySettings;

  @Field(section('developer').kind, { description: section('developer').description, optional: true })
  developer?: DeveloperSettings;

  @Field(section('data').kind, { description: section('data').description, optional: true })
  data?: DataSettings;

  @Field(section('branding').kind, { description: section('branding').description, optional: true })
  branding?: BrandingSettings;

  @Field(section('features').kind, { description: section('features').description, optional: true })
  features?: FeatureSettings;

  @Field(section('gates').kind, { description: section('gates').description, example: [], optional: true })
  gates?: CompleteGate[];
}

export class ChangedSettings extends SettingsView {
  @Field(listOf(path(), { max: 200 }), {
    description: 'Paths of the changed values.',
    example: ['finance.paymentTermsDays'],
  })
  changed!: string[];

  @Field(nested(PendingApproval), {
    description:
      'The request for approval, if the change makes a gate easier to pass and has not been applied yet. Null if the change was applied.',
    nullable: true,
    example: null,
  })
  pendingApproval!: PendingApproval | null;
}

/** A merge patch of the sections; null resets a value to its default. */
export const UpdateSettings = model('UpdateSettings', {
  version: {
    kind: version,
    description: 'Expected version; 409 if it differs.',
    optional: true,
  },
  ...Object.fromEntries(fieldsOf(patchOf(SettingsValues))),
  finance: { ...section('finance'), kind: nested(financePatch()), optional: true, nullable: true },
});

/** The base currency is stored with the tenant and has no default. */
function financePatch(): ModelClass {
  const patch = patchOf(FinanceSettings);
  const baseCurrency = { ...fieldsOf(FinanceSettingsView).get('baseCurrency')!, optional: true };
  return model(patch.name, { ...Object.fromEntries(fieldsOf(patch)), baseCurrency });
}

function section(name: keyof SettingsValues) {
  return fieldsOf(SettingsValues).get(name)!;
}

/** The merge patch of a model and of the objects in it. Lists are replaced as a whole. */
function patchOf(values: ModelClass): ModelClass {
  const fields = [...fieldsOf(values)].map(([field, spec]) => {
    const isObject = '$ref' in spec.kind.schema && spec.kind.model !== undefined;
    const kind = isObject ? nested(patchOf(spec.kind.model!)) : spec.kind;
    return [field, { ...spec, kind, optional: true, nullable: true }] as const;
  });
  return model(`${values.name}Patch`, Object.fromEntries(fields));
}
