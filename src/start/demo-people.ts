/** A person to sign in as in the demo tenant. */
export interface DemoPerson {
  email: string;
  name: string;
  /** Key of their role. */
  role: string;
}

/** Created with the demo tenant. */
export const OWNER: DemoPerson = { email: 'owner@demo.example', name: 'Olivia Owner', role: 'owner' };

/** Members of the demo tenant known to the demo identity provider. */
export const DEMO_PEOPLE: readonly DemoPerson[] = [
  OWNER,
  { email: 'admin@demo.example', name: 'Ada Admin', role: 'admin' },
  { email: 'manager@demo.example', name: 'Max Manager', role: 'manager' },
  { email: 'member@demo.example', name: 'Mia Member', role: 'member' },
  { email: 'auditor@demo.example', name: 'Arno Auditor', role: 'auditor' },
];
