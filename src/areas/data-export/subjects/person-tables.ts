import type { Permission } from '#libs/auth/permissions.js';

/** A kind of records, or other rows, that are about one person. */
export interface PersonTable {
  /** Type key. */
  object: string;
  /** Schema-qualified; its rows are `t`. */
  table: string;
  /** SQL of its reference and of its name. */
  reference: string;
  name: string;
  /** SQL of the folded addresses of the person, as a list. */
  emails: string;
  /** SQL of ids of rows of any of these kinds that are about the same person, as a list. */
  others: string;
  /** For rows that are no records: who may read them all. */
  requires: Permission | null;
}

const RECORD = { reference: 't.reference', name: 't.name', requires: null };
const allOf = (column: string) => `array(select data.fold(x) from jsonb_array_elements_text(t.${column}) x)`;
const NOBODY = `'{}'::uuid[]`;

export const PERSON_TABLES: readonly PersonTable[] = [
  { object: 'sales.contact', table: 'data.sales_contacts', ...RECORD, emails: allOf('emails'), others: NOBODY },
  {
    ...{ object: 'sales.lead', table: 'data.sales_leads', ...RECORD },
    ...{ emails: 'array[data.fold(t.email)]', others: 'array[t.contact_id]' },
  },
  {
    ...{ object: 'talent.candidate', table: 'data.talent_candidates', ...RECORD },
    ...{ emails: `array[data.fold(t.email)] || ${allOf('emails')}`, others: 'array[t.employee_id]' },
  },
  {
    ...{ object: 'people.employee', table: 'data.people_employees', ...RECORD },
    ...{ emails: 'array[data.fold(t.work_email)]', others: 'array[t.membership_id, t.candidate_id]' },
  },
  {
    ...{ object: 'core.membership', table: 'data.memberships', reference: 'null::text', name: 't.name' },
    ...{ emails: 'array[t.email_lower]', others: NOBODY, requires: 'members:read' },
  },
  {
    ...{ object: 'core.invitation', table: 'data.invitations', reference: 'null::text', name: `coalesce(t.email, '')` },
    ...{ emails: 'array[t.email_lower]', others: 'array[t.accepted_membership_id, t.employee_id]' },
    requires: 'members:invite',
  },
];

/** Fields by which a record is part of what is known about a person. */
export const BELONGING = ['membershipId', 'employeeId', 'candidateId', 'applicationId'];

/** Columns of other rows that name a person, or a record that is part of what is known about them. */
export const NAMING_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  'data.comments': ['author_id', 'mentions', 'record_id'],
  'data.attachments': ['record_id'],
  'data.record_links': ['record_id', 'other_id'],
  'data.record_watchers': ['record_id'],
  'data.record_transitions': ['record_id'],
  'data.checklists': ['subject_id'],
  'data.public_links': ['target_id'],
  'data.home_approvals': ['requester_person', 'target_id'],
  'data.saved_views': ['owner_id'],
  'data.memberships': ['id'],
  'data.invitations': ['id', 'accepted_membership_id', 'employee_id'],
  'data.oauth_grants': ['membership_id'],
  'data.role_assignments': ['membership_id'],
  'data.workspace_members': ['membership_id'],
  'data.resource_grants': ['principal_id'],
  'data.access_review_items': ['member_id'],
  'data.audit_log': ['actor_id'],
  'data.ai_jobs': ['requester_person'],
  'data.ai_feedback': ['person'],
  'data.people_employments': ['employee_id'],
  'data.people_time_off_ledger': ['employee_id'],
  'data.talent_mappings': ['candidate_id', 'employee_id'],
  'data.documents_file_versions': ['file_id'],
  'data.reports': ['owner_id'],
  'data.export_schedules': ['owner_id'],
  'data.home_pages': ['id'],
};
