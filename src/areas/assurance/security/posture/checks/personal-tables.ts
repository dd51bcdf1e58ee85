/** Tables of the record types that have fields with personal data. */
export const PERSONAL_TABLES: Readonly<Record<string, string>> = {
  'finance.credit_note': 'data.finance_credit_notes',
  'finance.invoice': 'data.finance_invoices',
  'finance.payment': 'data.finance_payments',
  'people.employee': 'data.people_employees',
  'people.time_off': 'data.people_time_off',
  'sales.account': 'data.sales_accounts',
  'sales.contact': 'data.sales_contacts',
  'sales.lead': 'data.sales_leads',
  'talent.application': 'data.talent_applications',
  'talent.candidate': 'data.talent_candidates',
  'talent.offer': 'data.talent_offers',
  'talent.scorecard': 'data.talent_scorecards',
  'work.milestone': 'data.work_milestones',
  'work.project': 'data.work_projects',
  'work.task': 'data.work_tasks',
  'work.time_entry': 'data.work_time_entries',
};
