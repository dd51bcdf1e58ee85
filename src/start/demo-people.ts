/** Somebody to sign in as in the demo tenant. */
export interface DemoPerson {
  email: string;
  name: string;
  /** Key of the role that they have there. */
  role: string;
}

/** The members of the demo tenant whom the identity provider for trying out knows. The tenant is founded with its owner. */
export const DEMO_PEOPLE: readonly DemoPerson[] = [
  { email: 'owner@demo.example', name: 'Olivia Owner', role: 'owner' },
  { email: 'manager@demo.example', name: 'Max Manager', role: 'manager' },
  { email: 'member@demo.example', name: 'Mia Member', role: 'member' },
  { email: 'auditor@demo.example', name: 'Arno Auditor', role: 'auditor' },
];
