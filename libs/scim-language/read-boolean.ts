/** A boolean, also as text in any case, as Entra sends it; null for anything else. */
export function readBoolean(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return null;
  const text = value.toLowerCase();
  return text === 'true' ? true : text === 'false' ? false : null;
}
