/** An invalid setting. The message is one clear line for the operator. */
export class SettingsError extends Error {}

/** The declaration of a setting. */
export interface Definition<T> {
  description: string;
  /** As shown in the table of settings. */
  defaultText: string;
  /** Parses the text of the environment variable (undefined when absent or empty). @throws SettingsError */
  parse(text: string | undefined, env: NodeJS.ProcessEnv): T;
}

/** A URL with one of these protocols, e.g. `https:`. */
export const url = (description: string, protocols: string[]): Definition<string | null> => ({
  description,
  defaultText: 'none',
  parse: (value) => {
    if (value === undefined) return null;
    let protocol: string;
    try {
      protocol = new URL(value).protocol;
    } catch {
      throw new SettingsError('is not a URL');
    }
    if (!protocols.includes(protocol))
      throw new SettingsError(`must start with ${protocols.map((each) => `${each}//`).join(' or ')}`);
    return value;
  },
});

/** The parts of a comma-separated text; empty if absent. */
export function partsOf(value: string | undefined): string[] {
  return (value ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Comma-separated texts. */
export const list = (description: string): Definition<string[]> => ({
  description,
  defaultText: 'none',
  parse: partsOf,
});
