/** A person to sign in as in the demo tenant. */
export interface DemoPerson {
  email: string;
  name: string;
  /** Key of their role. */
  role: string;
}

/** Members of the demo tenant known to the demo identity provider. The owner is created with the tenant. */
export const DEMO_PEOPLE: readonly DemoPerson[] = [
  { email: 'owner@demo.example', name: 'Olivia Owner', role: 'owner' },
  { email: 'admin@demo.example', name: 'Ada Admin', role: 'admin' },
  { email: 'manager@demo.example', name: 'Max Manager', role: 'manager' },
  { email: 'member@demo.example', name: 'Mia Member', role: 'member' },
  { email: 'auditor@demo.example', name: 'Arno Auditor', role: 'auditor' },
];
