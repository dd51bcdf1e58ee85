import type { Settings } from '#libs/config/settings.js';

/** One `--name VALUE` of a command; without `value` it is a switch. */
export interface OptionSpec {
  /** Placeholder for the value in the help, e.g. `SLUG`. */
  value?: string;
  description: string;
  required?: true;
  /** The option can be repeated. */
  repeatable?: true;
}

/** Declares an operator command. Parsing, help and the reference page are derived from it. */
export interface Command {
  /** Its name, e.g. `tenant create`. */
  name: string;
  /** One sentence that describes it. */
  summary: string;
  /** The word that must follow the name, e.g. a file; given as an option of this name in lower case. */
  operand?: { value: string; description: string };
  options: Readonly<Record<string, OptionSpec>>;
  /** Loads the code of the command on demand. */
  load(): Promise<CommandRun>;
}

/** Output of a command: `json` is printed with `--json`, `text` (without a trailing line feed) otherwise. */
export interface Outcome {
  json: unknown;
  text: string;
}

/** Values of the given options, and of the operand, by name: `true` for a switch, a list for a repeatable option. */
export type GivenOptions = Readonly<Record<string, string | true | readonly string[]>>;

export type CommandRun = (given: GivenOptions, context: CommandContext) => Promise<Outcome>;

/** Context of a command. */
export interface CommandContext {
  /** Reads the settings; called only by commands that need them. @throws SettingsError */
  readonly settings: () => Settings;
}

/** An invalid command line (exit code 2). The message is one clear line. */
export class UsageError extends Error {}
