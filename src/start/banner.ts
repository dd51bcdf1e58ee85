import type { DemoPerson } from './demo-people.js';

/** Credentials of the demo tenant. */
export interface Demo {
  tenantSlug: string;
  apiKey: string;
  scimToken: string;
}

/** Information to print when the platform is ready. */
interface Started {
  apiUrl: string;
  demo: Demo;
  /** People known to the demo identity provider; empty when another provider is configured. */
  people: readonly DemoPerson[];
  readyMs: number;
}

/** The lines that `npm start` prints when it is ready. */
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

/** Where to sign in, and as whom. After sign-in, the browser shows the session. */
function signIn(apiUrl: string, { tenantSlug }: Demo, people: readonly DemoPerson[]): string[] {
  if (people.length === 0) return [];
  const who = people.map(({ email, role }) => `${email} (${role})`);
  return [
    `  Sign in      ${apiUrl}/api/auth/login?tenant=${tenantSlug}&returnTo=/api/auth/session`,
    ...who.map((each, index) => `  ${index === 0 ? 'as ' : '   '}          ${each}`),
  ];
}
