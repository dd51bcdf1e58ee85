import { domainName } from '#libs/http/domain-field.js';
import { type Feature, FEATURES } from '#libs/auth/features.js';
import type { Permission } from '#libs/auth/permissions.js';
import { Field, flag, id, integer, type Kind, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { type Weekday, WEEKDAYS } from '#libs/kernel/civil-time.js';
import { network } from '#libs/http/network-field.js';
import { DEFAULT_E_INVOICE, EInvoiceSettings } from './e-invoice.model.js';
import { Gate } from './gate.model.js';
import { locale, timeZone } from './locale-fields.js';
import { CreditNoteNumbers, InvoiceNumbers } from './number-series.model.js';
import { ScorecardSettings } from './scorecard.model.js';

const country = () =>
  text({ min: 2, max: 2, pattern: /^[A-Z]{2}$/, form: 'an ISO 3166-1 alpha-2 code in capitals, such as DE' });

export const WEEK_STARTS = ['monday', 'saturday', 'sunday'] as const;

/** General settings, such as legal name, time zone and language. */
export class GeneralSettings {
  @Field(text({ min: 1, max: 200 }), {
    description: 'Name of the company in law.',
    example: 'Acme Ltd',
    nullable: true,
  })
  legalName!: string | null;

  @Field(country(), { description: 'ISO 3166-1 alpha-2 code.', example: 'DE', nullable: true })
  country!: string | null;

  @Field(timeZone(), { description: 'IANA time zone: whose days count as today.', example: 'UTC' })
  timezone!: string;

  @Field(locale(), { description: 'Language and region for apps to speak in, as a language tag.', example: 'en' })
  locale!: string;

  @Field(oneOf(WEEK_STARTS), { description: 'Day with which calendars of apps begin a week.', example: 'monday' })
  weekStart!: (typeof WEEK_STARTS)[number];

  @Field(id(), {
    description: 'Default calendar of the tenant.',
    nullable: true,
  })
  calendar!: string | null;
}

/** The seller as shown on documents. */
export class LegalEntity {
  @Field(text({ min: 1, max: 200 }), { description: 'Name in law.', example: 'Acme Ltd', nullable: true })
  legalName!: string | null;

  @Field(text({ min: 1, max: 1_000 }), {
    description: 'Postal address, lines parted by line feeds.',
    example: '1 High Street\nLondon',
    nullable: true,
  })
  address!: string | null;

  @Field(text({ min: 1, max: 60 }), { description: 'Tax number.', example: 'GB123456789', nullable: true })
  taxId!: string | null;

  @Field(text({ min: 1, max: 1_000 }), { description: 'Where to pay to.', example: 'IBAN DE00 1234', nullable: true })
  bank!: string | null;
}

/** Maximum payment terms. */
export const MAX_PAYMENT_TERMS_DAYS = 365;

/** Days to pay. The tenant's value is the default for an account, and the account's for an invoice. */
export function paymentTerms(): Kind {
  return integer({ min: 0, max: MAX_PAYMENT_TERMS_DAYS });
}

export const TAX_ROUNDINGS = ['line', 'total'] as const;

/** The numbering of documents. */
export class FinanceSeries {
  @Field(nested(InvoiceNumbers), { description: 'Numbers of invoices.' })
  invoice!: InvoiceNumbers;

  @Field(nested(CreditNoteNumbers), { description: 'Numbers of credit notes.' })
  creditNote!: CreditNoteNumbers;
}

/** Settings for invoices. */
export class FinanceSettings {
  @Field(nested(LegalEntity), { description: 'The seller, as invoices show it from their issue on.' })
  legalEntity!: LegalEntity;

  @Field(nested(EInvoiceSettings), { description: 'Electronic invoices in the European standard EN 16931.' })
  eInvoice!: EInvoiceSettings;

  @Field(paymentTerms(), {
    description: 'Days to pay in, unless the account says otherwise.',
    example: 30,
  })
  paymentTermsDays!: number;

  @Field(oneOf(TAX_ROUNDINGS), {
    description: 'Whether tax is rounded for each line or in the total.',
    example: 'line',
  })
  taxRounding!: (typeof TAX_ROUNDINGS)[number];

  @Field(flag(), { description: 'Whether an invoice may not be dated before the last one issued.', example: false })
  strictChronology!: boolean;

  @Field(listOf(integer({ min: 1, max: 365 }), { max: 10, unique: true }), {
    description:
      'Calendar days after the due date on which the customer of an unpaid invoice gets a reminder, at 9:00 in the tenant’s time zone. In any order; shown in ascending order. If empty, none are sent.',
    example: [3, 7, 14, 30],
  })
  dunningDays!: number[];

  @Field(nested(FinanceSeries), { description: 'Numbering of documents, without gaps.' })
  series!: FinanceSeries;
}

/** Reason for losing a deal. */
export const lostReason = (): Kind =>
  text({ min: 1, max: 60, pattern: /^\S(.*\S)?$/, form: 'on one line, without white space at its ends' });

/** Settings for deals. */
export class SalesSettings {
  @Field(listOf(lostReason(), { max: 50, unique: true }), {
    description: 'Allowed reasons for losing a deal. If empty, any text is allowed.',
    example: ['price', 'competitor'],
  })
  lostReasons!: string[];

  @Field(integer({ min: 0, max: 3_650 }), {
    description: 'Days in which a closed deal can be opened again.',
    example: 30,
  })
  dealReopenDays!: number;

  @Field(flag(), {
    description: 'Whether winning a deal with an account creates its handoff to delivery.',
    example: true,
  })
  autoHandoff!: boolean;
}

/** Settings for employees. */
export class PeopleSettings {
  @Field(flag(), {
    description: 'Whether managers see the personal fields of those who report to them.',
    example: false,
  })
  managersSeePersonal!: boolean;

  @Field(integer({ min: 1, max: 365 }), {
    description: 'Days of one absence from which an employee counts as on leave.',
    example: 14,
  })
  leaveStatusAfterDays!: number;

  @Field(listOf(oneOf(WEEKDAYS), { min: 1, max: 7, unique: true }), {
    description:
      'Default working days of new employees, eight hours each. If null, the hours of the calendar apply, or Monday to Friday without a calendar.',
    example: ['mon', 'tue', 'wed', 'thu'],
    nullable: true,
  })
  workWeek!: Weekday[] | null;

  @Field(id(), {
    description:
      'Calendar whose holidays are not counted as time off, unless the employee or the department has its own. If null, `general.calendar` applies.',
    nullable: true,
  })
  holidayCalendar!: string | null;

  @Field(id(), {
    description: 'Checklist template with which onboardings start; no checklist is started if null.',
    nullable: true,
  })
  onboardingTemplate!: string | null;

  @Field(id(), {
    description: 'Checklist template with which offboardings start; no checklist is started if null.',
    nullable: true,
  })
  offboardingTemplate!: string | null;
}

/** Settings for candidates. */
export class TalentSettings {
  @Field(integer({ min: 1, max: 120 }), {
    description: 'Months for which the consent of a candidate holds.',
    example: 24,
  })
  consentMonths!: number;

  @Field(flag(), {
    description:
      'Whether a hire applies its talent mapping at once, so that a pending employee exists without further action. Mappings that lack values or promise a privileged role wait for a person.',
    example: true,
  })
  autoApply!: boolean;
}

/** Settings for signing in and security. */
export class SecuritySettings {
  @Field(integer({ min: 1, max: 720 }), { description: 'Hours after which a session ends.', example: 12 })
  sessionHours!: number;

  @Field(integer({ min: 5, max: 1_440 }), {
    description: 'Minutes without a request after which a session ends, to a minute.',
    example: 60,
  })
  idleMinutes!: number;

  @Field(listOf(domainName(), { max: 50, unique: true }), {
    description: 'Domains of the addresses that can be invited; any if there are none. Kept in ASCII and lower case.',
    example: ['acme.example'],
  })
  allowedEmailDomains!: string[];

  @Field(listOf(network(), { max: 50, unique: true }), {
    description:
      'Addresses and networks from which credentials of the tenant can be used. A key with its own list must satisfy both. If empty, any address is allowed. The list must contain your own address.',
    example: [],
  })
  ipAllowList!: string[];

  @Field(integer({ min: 1, max: 3_650 }), {
    description:
      'Maximum age of an API key secret in days. Applies to new keys, new expiry times and rotations; existing keys keep their expiry. No limit if null.',
    example: 90,
    nullable: true,
  })
  apiKeyMaxAgeDays!: number | null;
}

/** Maximum and default grace period of a rotated webhook secret: 7 days. */
export const MAX_SECRET_GRACE_SECONDS = 604_800;

/** Settings for developers. */
export class DeveloperSettings {
  @Field(integer({ min: 0, max: MAX_SECRET_GRACE_SECONDS }), {
    description:
      'Seconds for which the old secret of a webhook endpoint signs too after a rotation that names no grace.',
    example: MAX_SECRET_GRACE_SECONDS,
  })
  webhookSecretGraceSeconds!: number;
}

/** Settings for stored data. */
export class DataSettings {
  @Field(integer({ min: 0, max: 365 }), {
    description:
      'Days after which records in the trash are deleted permanently; only owners lower it. Legal holds and minimum periods apply.',
    example: 30,
  })
  trashDays!: number;

  @Field(flag(), {
    description: 'Whether a second person must approve each export of data; only owners turn it off.',
    example: true,
  })
  exportNeedsApproval!: boolean;
}

/** Branding of the tenant. */
export class BrandingSettings {
  @Field(text({ min: 1, max: 100 }), {
    description: 'Name that apps show instead of the tenant name.',
    example: 'Acme',
    nullable: true,
  })
  displayName!: string | null;

  @Field(text({ max: 7, pattern: /^#[0-9a-fA-F]{6}$/, form: 'a colour such as #0F62FE' }), {
    description: 'Primary colour of apps.',
    example: '#0F62FE',
    nullable: true,
  })
  primaryColor!: string | null;
}

const isOn = (area: string) => Field(flag(), { description: `Whether the area ${area} is enabled.`, example: true });

/** Areas that the tenant can enable or disable. */
export class FeatureSettings implements Record<Feature, boolean> {
  @isOn('finance')
  finance!: boolean;

  @isOn('intelligence')
  intelligence!: boolean;

  @isOn('people')
  people!: boolean;

  @isOn('process-intelligence')
  processIntelligence!: boolean;

  @isOn('sales')
  sales!: boolean;

  @isOn('talent')
  talent!: boolean;

  @isOn('work')
  work!: boolean;
}

/** Maximum number of gates per tenant. */
export const MAX_GATES = 50;

/** All settings of a tenant, by section. */
export class SettingsValues {
  @Field(nested(GeneralSettings), { description: 'Name, address, time zone and language of the tenant.' })
  general!: GeneralSettings;

  @Field(nested(FinanceSettings), { description: 'How invoices are made out.' })
  finance!: FinanceSettings;

  @Field(nested(SalesSettings), { description: 'How deals are worked on.' })
  sales!: SalesSettings;

  @Field(nested(PeopleSettings), { description: 'Settings for employees.' })
  people!: PeopleSettings;

  @Field(nested(TalentSettings), { description: 'Settings for candidates.' })
  talent!: TalentSettings;

  @Field(nested(ScorecardSettings), { description: 'Settings for scorecards.' })
  scorecards!: ScorecardSettings;

  @Field(nested(SecuritySettings), { description: 'Settings for sign-in and sessions.' })
  security!: SecuritySettings;

  @Field(nested(DeveloperSettings), { description: 'Settings for the API and webhooks.' })
  developer!: DeveloperSettings;

  @Field(nested(DataSettings), { description: 'Settings for stored data.' })
  data!: DataSettings;

  @Field(nested(BrandingSettings), { description: 'Branding of the tenant in apps.' })
  branding!: BrandingSettings;

  @Field(nested(FeatureSettings), {
    description:
      'Enabled areas. Every operation of a disabled area returns 403 `feature_disabled`; its records stay, and its automations continue.',
  })
  features!: FeatureSettings;

  @Field(listOf(nested(Gate), { max: MAX_GATES }), {
    description: 'Policy checks in front of sensitive actions.',
    example: [],
  })
  gates!: Gate[];
}

/** The values that apply if a tenant has set nothing. */
export const DEFAULT_SETTINGS: SettingsValues = {
  general: { legalName: null, country: null, timezone: 'UTC', locale: 'en', weekStart: 'monday', calendar: null },
  finance: {
    legalEntity: { legalName: null, address: null, taxId: null, bank: null },
    eInvoice: DEFAULT_E_INVOICE,
    paymentTermsDays: 30,
    taxRounding: 'line',
    strictChronology: false,
    dunningDays: [3, 7, 14, 30],
    series: {
      invoice: { pattern: 'INV-{YYYY}-{seq:5}', resets: 'yearly', startAt: 1 },
      creditNote: { pattern: 'CN-{YYYY}-{seq:5}', resets: 'yearly', startAt: 1 },
    },
  },
  sales: {
    lostReasons: ['price', 'no_decision', 'competitor', 'timing', 'fit', 'other'],
    dealReopenDays: 30,
    autoHandoff: false,
  },
  people: {
    managersSeePersonal: false,
    leaveStatusAfterDays: 14,
    workWeek: null,
    holidayCalendar: null,
    onboardingTemplate: null,
    offboardingTemplate: null,
  },
  talent: { consentMonths: 24, autoApply: true },
  scorecards: { targets: {}, minSample: 5 },
  security: { sessionHours: 12, idleMinutes: 60, allowedEmailDomains: [], ipAllowList: [], apiKeyMaxAgeDays: null },
  developer: { webhookSecretGraceSeconds: MAX_SECRET_GRACE_SECONDS },
  data: { trashDays: 30, exportNeedsApproval: true },
  branding: { displayName: null, primaryColor: null },
  features: Object.fromEntries(FEATURES.map((feature) => [feature, true])) as Record<Feature, boolean>,
  gates: [],
};

/** Sections that require a separate permission to change. */
export const SECTION_PERMISSIONS = {
  finance: 'settings.finance:manage',
  developer: 'settings.developer:manage',
} as const satisfies Partial<Record<keyof SettingsValues, Permission>>;
