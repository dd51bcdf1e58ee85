/** What the demo tenant is used with. */
export interface Demo {
  tenantSlug: string;
  apiKey: string;
  scimToken: string;
}

/** The lines that `npm start` ends its start with. */
export function banner({ apiUrl, demo, readyMs }: { apiUrl: string; demo: Demo; readyMs: number }): string {
  return [
    '',
    `Ready in ${(readyMs / 1_000).toFixed(1)} s. Ctrl-C stops everything.`,
    '',
    `  API          ${apiUrl}`,
    `  Docs         ${apiUrl}/docs`,
    `  Tenant       ${demo.tenantSlug}`,
    `  API key      ${demo.apiKey}`,
    `  SCIM token   ${demo.scimToken}`,
    '',
    '',
  ].join('\n');
}
