import { fieldsOf, type JsonSchema, type ModelClass } from '#libs/http/field.js';
import { LineView } from '#libs/lines/line.dto.js';
import { DeveloperSettings, FinanceSettings, GeneralSettings, LegalEntity } from '#libs/settings/settings.model.js';
import { invoices } from '#src/areas/finance/invoices/invoice.js';
import {
  InvoiceCustomer,
  InvoiceLineInput,
  InvoiceSeller,
  PostalAddress,
} from '#src/areas/finance/invoices/invoice.parts.js';
import { taxRates } from '#src/areas/finance/tax-rates/tax-rate.js';
import { employees } from '#src/areas/people/employees/employee.js';
import { accounts } from '#src/areas/sales/accounts/account.js';
import { AccountAddress } from '#src/areas/sales/accounts/account.parts.js';
import { contacts } from '#src/areas/sales/contacts/contact.js';
import { deals } from '#src/areas/sales/deals/deal.js';
import { ConvertLead } from '#src/areas/sales/leads/lead.actions.js';
import { leads } from '#src/areas/sales/leads/lead.js';
import { HireOnApplication } from '#src/areas/talent/applications/application.actions.js';
import { candidates } from '#src/areas/talent/candidates/candidate.js';
import { jobs } from '#src/areas/talent/jobs/job.js';
import { offers } from '#src/areas/talent/offers/offer.js';
import { RotateWebhookSecret } from '#src/areas/webhooks/endpoints/endpoint-actions.dto.js';
import { milestones } from '#src/areas/work/milestones/milestone.js';
import { projectTemplates } from '#src/areas/work/project-templates/project-template.js';
import { TemplateMilestone, TemplateTask } from '#src/areas/work/project-templates/project-template.parts.js';
import { projects } from '#src/areas/work/projects/project.js';
import { tasks } from '#src/areas/work/tasks/task.js';
import { ChecklistItem } from '#src/areas/work/tasks/task.parts.js';

/**
 * Fields that are copied from another field and must accept all of its values: `from` to `to` where the names differ.
 */
const COPIES: [source: ModelClass, target: ModelClass, fields: string[]][] = [
  [FinanceSettings, accounts.create, ['paymentTermsDays']],
  [accounts.create, invoices.create, ['paymentTermsDays', 'currency']],
  [FinanceSettings, invoices.view, ['paymentTermsDays']],
  [invoices.create, invoices.view, ['paymentTermsDays', 'currency', 'notes', 'terms', 'language', 'tags']],
  [accounts.create, InvoiceCustomer, ['name', 'billingEmail email', 'taxId']],
  [AccountAddress, PostalAddress, [...fieldsOf(AccountAddress).keys()]],
  [LegalEntity, InvoiceSeller, [...fieldsOf(LegalEntity).keys()]],
  [GeneralSettings, InvoiceSeller, ['legalName']],
  [taxRates.create, LineView, ['name taxName', 'percent taxPercent']],
  [accounts.create, deals.create, ['currency']],
  [leads.create, accounts.create, ['name', 'company name', 'workspaceId', 'ownerId']],
  [leads.create, contacts.create, ['name', 'email emails', 'workspaceId', 'ownerId']],
  [leads.create, deals.create, ['name', 'company name', 'source']],
  [ConvertLead, deals.create, ['dealName name', 'value', 'valueMinor', 'currency']],
  [milestones.create, InvoiceLineInput, ['name description', 'billableMinor unitPriceMinor']],
  [projects.create, invoices.create, ['name']],
  [TemplateMilestone, milestones.create, ['name', 'billableMinor', 'phase tags']],
  [TemplateTask, tasks.create, ['name', 'description', 'priority', 'estimateMinutes', 'phase tags']],
  [TemplateTask, ChecklistItem, ['checklist title']],
  [projectTemplates.create, projects.create, ['description', 'billing']],
  [candidates.create, employees.create, ['name', 'firstName', 'lastName', 'email personalEmail']],
  [jobs.create, HireOnApplication, ['name jobTitle']],
  [offers.create, HireOnApplication, ['jobTitle']],
  [offers.create, offers.create, ['jobTitle name']],
  [HireOnApplication, employees.create, ['jobTitle', 'startDate']],
  [DeveloperSettings, RotateWebhookSecret, ['webhookSecretGraceSeconds graceSeconds']],
];

const copies = COPIES.flatMap(([source, target, fields]) =>
  fields.map((field) => {
    const [from = '', to = from] = field.split(' ');
    return [`${source.name}.${from}`, `${target.name}.${to}`, schemaOf(source, from), schemaOf(target, to)] as const;
  }),
);

function schemaOf(model: ModelClass, field: string): JsonSchema {
  const spec = fieldsOf(model).get(field);
  if (!spec) throw new Error(`${model.name} has no field ${field}.`);
  return spec.kind.schema;
}

/** A single value, where one side is a list and the other its items. */
function single(schema: JsonSchema, other: JsonSchema): JsonSchema {
  return schema['type'] === 'array' && other['type'] !== 'array' ? (schema['items'] as JsonSchema) : schema;
}

/** Why a value of one schema might not be valid in another. */
function misfits(source: JsonSchema, target: JsonSchema): string[] {
  const [from, to] = [single(source, target), single(target, source)];
  if (from['type'] === 'array') return misfits(from['items'] as JsonSchema, to['items'] as JsonSchema);
  const found: string[] = [];
  const bound = (key: string, isLower: boolean) => {
    const [given, asked] = [from[key] as number | undefined, to[key] as number | undefined];
    if (asked === undefined) return;
    const free = isLower ? 0 : Infinity;
    if (isLower ? (given ?? free) < asked : (given ?? free) > asked) found.push(`${key} ${given} for ${asked}`);
  };
  bound('minimum', true);
  bound('maximum', false);
  bound('minLength', true);
  bound('maxLength', false);
  const values = to['enum'] as unknown[] | undefined;
  if (values && !((from['enum'] ?? []) as unknown[]).every((each) => values.includes(each))) found.push('enum');
  // Names must not be blank, which copied values never are.
  for (const key of ['pattern', 'format', '$ref'])
    if (to[key] !== undefined && to[key] !== '\\S' && to[key] !== from[key]) found.push(key);
  return found;
}

it.each(copies)('%s fits %s', (_from, _to, source, target) => {
  expect(misfits(source, target)).toEqual([]);
});
