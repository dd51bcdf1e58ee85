/** Typical permissions of common jobs, as a starting point for roles. */
const PRESETS = {
  sales: [
    'accounts:read',
    'accounts:write',
    'contacts:read',
    'contacts:write',
    'deals:close@own',
    'deals:read',
    'deals:write',
    'leads:read',
    'leads:write',
    'pipelines:read',
    'products:read',
  ],
  finance: [
    'accounts:read',
    'credit-notes:*',
    'invoices:*',
    'ledger:read',
    'payments:*',
    'products:read',
    'projects:read',
    'tax-rates:*',
    'time-entries:read',
  ],
  people_ops: [
    'departments:*',
    'employees.personal:read',
    'employees:delete',
    'employees:manage',
    'employees:read',
    'employees:write',
    'members:read',
    'time-off:*',
  ],
  recruiter: [
    'candidates.personal:read',
    'candidates:hire',
    'candidates:read',
    'candidates:write',
    'interview-scorecards:read',
    'interview-scorecards:write@own',
    'interviews:*',
    'jobs:*',
    'offers:read',
    'offers:send',
    'offers:write',
  ],
  support_agent: [
    'accounts:read',
    'contacts:read',
    'contacts:write',
    'deals:read',
    'products:read',
    'projects:read',
    'tasks:read',
    'tasks:write',
  ],
  field_technician: [
    'accounts:read',
    'contacts:read',
    'projects:read@workspace',
    'tasks:read@workspace',
    'tasks:write@own',
    'time-entries:read@own',
    'time-entries:write@own',
  ],
  product_manager: [
    'accounts:read',
    'cycles:*',
    'deals:read',
    'leads:read',
    'milestones:*',
    'process-intelligence:read',
    'products:read',
    'products:write',
    'project-templates:*',
    'projects:read',
    'projects:write',
    'tasks:*',
  ],
  buyer: ['accounts:read', 'contacts:read', 'invoices:read', 'products:read', 'products:write', 'tax-rates:read'],
} as const satisfies Record<string, readonly string[]>;

/** Permissions in every preset, needed to work with records. */
const COMMON = [
  'attachments:write',
  'checklists:write',
  'comments:write',
  'links:write',
  'watchers:write',
  'workspaces:read@workspace',
];

export type Preset = keyof typeof PRESETS;
export const PRESET_NAMES = Object.keys(PRESETS) as Preset[];

/** The permissions of a preset. */
export function permissionsOf(preset: Preset): string[] {
  return [...PRESETS[preset], ...COMMON].sort();
}
