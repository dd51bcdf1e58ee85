/** Areas that a tenant can disable. All other areas are always on. */
export const FEATURES = [
  'finance',
  'intelligence',
  'people',
  'processIntelligence',
  'sales',
  'talent',
  'work',
] as const;
export type Feature = (typeof FEATURES)[number];

/** The area of an operation, if tenants can disable it. */
export function featureOf(operationId: string): Feature | null {
  const area = operationId.split('.', 1)[0]!.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return FEATURES.find((each) => each === area) ?? null;
}
