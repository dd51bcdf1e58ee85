import type { EntityClass } from '#libs/database/data-source.js';
import { Secret } from './admin/secrets/secret.js';
import { Invitation } from './admin/invitations/invitation.entity.js';
import { ResourceGrant } from './admin/resource-permissions/resource-grant.entity.js';
import { AuditLogRow } from './admin/audit-logs/audit-log.entity.js';
import { AgentVersion } from './ai/agents/agent-version.entity.js';
import { Agent } from './ai/agents/agent.js';
import { CreditNote } from './finance/credit-notes/credit-note.entity.js';
import { Invoice } from './finance/invoices/invoice.entity.js';
import { LedgerEntry } from './finance/ledger/ledger-entry.entity.js';
import { Payment } from './finance/payments/payment.entity.js';
import { TaxRate } from './finance/tax-rates/tax-rate.entity.js';
import { Budget } from './ai/budgets/budget.entity.js';
import { AiJob } from './ai/jobs/job.js';
import { AiPolicyVersion } from './ai/policy/ai-policy-version.entity.js';
import { PromptVersion } from './ai/prompts/prompt-version.entity.js';
import { Prompt } from './ai/prompts/prompt.js';
import { Approval } from './home/approvals/approval.entity.js';
import { Department } from './people/departments/department.js';
import { Employee } from './people/employees/employee.entity.js';
import { Employment } from './people/employees/employment.entity.js';
import { Policy } from './people/policies/policy.entity.js';
import { TimeOff } from './people/time-off/time-off.entity.js';
import { Account } from './sales/accounts/account.js';
import { Contact } from './sales/contacts/contact.js';
import { Deal } from './sales/deals/deal.entity.js';
import { Lead } from './sales/leads/lead.js';
import { Pipeline } from './sales/pipelines/pipeline.js';
import { Product } from './sales/products/product.js';
import { Application } from './talent/applications/application.js';
import { Candidate } from './talent/candidates/candidate.js';
import { Interview } from './talent/interviews/interview.js';
import { Job } from './talent/jobs/job.js';
import { Offer } from './talent/offers/offer.js';
import { Scorecard } from './talent/scorecards/scorecard.js';
import { Attachment } from './timeline/attachments/attachment.entity.js';
import { Comment } from './timeline/comments/comment.entity.js';
import { RecordLink } from './timeline/links/record-link.entity.js';
import { Watcher } from './timeline/watchers/watcher.entity.js';
import { CustomField } from './settings/custom-fields/custom-field.entity.js';
import { Delivery } from './webhooks/deliveries/delivery.entity.js';
import { Recovery } from './webhooks/recoveries/recovery.entity.js';
import { Endpoint } from './webhooks/endpoints/endpoint.entity.js';
import { Membership } from '#libs/members/membership.entity.js';
import { Workspace } from './admin/workspaces/workspace.entity.js';
import { Milestone } from './work/milestones/milestone.js';
import { ProjectTemplate } from './work/project-templates/project-template.js';
import { Project } from './work/projects/project.js';
import { Task } from './work/tasks/task.js';
import { TimeEntry } from './work/time-entries/time-entry.js';

/** Every entity of every area. */
export const ENTITIES: EntityClass[] = [
  Account,
  Agent,
  AgentVersion,
  AiJob,
  AiPolicyVersion,
  Prompt,
  PromptVersion,
  Application,
  Approval,
  Attachment,
  Budget,
  ResourceGrant,
  AuditLogRow,
  Invitation,
  Secret,
  Candidate,
  Comment,
  Contact,
  CreditNote,
  CustomField,
  Deal,
  Delivery,
  Recovery,
  Department,
  Employee,
  Employment,
  Endpoint,
  Interview,
  Invoice,
  Job,
  Lead,
  LedgerEntry,
  Membership,
  Milestone,
  Offer,
  Payment,
  Pipeline,
  Policy,
  Product,
  Project,
  ProjectTemplate,
  RecordLink,
  Scorecard,
  Task,
  TaxRate,
  TimeEntry,
  TimeOff,
  Watcher,
  Workspace,
];
