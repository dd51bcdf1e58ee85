import type { DemoPerson } from './demo-people.js';

/** What the demo tenant is used with. */
export interface Demo {
  tenantSlug: string;
  apiKey: string;
  scimToken: string;
}

/** What there is to tell once all of it runs. */
interface Started {
  apiUrl: string;
  demo: Demo;
  /** Whom the identity provider for trying out knows; empty where there is another one. */
  people: readonly DemoPerson[];
  readyMs: number;
}

/** The lines that `npm start` ends its start with. */
export function banner({ apiUrl, demo, people, readyMs }: Started): string {
  return [
    '',
    `Ready in ${(readyMs / 1_000).toFixed(1)} s. Ctrl-C stops everything.`,
    '',
    `  API          ${apiUrl}`,
    `  Docs         ${apiUrl}/docs`,
    `  Tenant       ${demo.tenantSlug}`,
    `  API key      ${demo.apiKey}`,
    `  SCIM token   ${demo.scimToken}`,
    ...signIn(apiUrl, demo, people),
    '',
    '',
  ].join('\n');
}

/** Where to sign in, and as whom. Until there is a page to land on, the browser shows who it is. */
function signIn(apiUrl: string, { tenantSlug }: Demo, people: readonly DemoPerson[]): string[] {
  if (people.length === 0) return [];
  const who = people.map(({ email, role }) => `${email} (${role})`);
  return [
    `  Sign in      ${apiUrl}/api/auth/login?tenant=${tenantSlug}&returnTo=/api/auth/session`,
    ...who.map((each, index) => `  ${index === 0 ? 'as ' : '   '}          ${each}`),
  ];
}
