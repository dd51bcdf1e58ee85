import type { Settings } from '#libs/config/settings.js';

/** One `--name VALUE` of a command; without `value` it is a switch. */
export interface OptionSpec {
  /** What stands for the value in the help, e.g. `SLUG`. */
  value?: string;
  description: string;
  required?: true;
  /** It may be given several times. */
  repeatable?: true;
}

/** What an operator command is, as data: parsing, help and the reference page are made from it. */
export interface Command {
  /** The words that name it, e.g. `tenant create`. */
  name: string;
  /** What it does, as a sentence. */
  summary: string;
  options: Readonly<Record<string, OptionSpec>>;
  /** Loads the code of the command; other commands do not wait for it. */
  load(): Promise<CommandRun>;
}

/** What a command answers: `json` is printed with `--json`, `text` (lines without a last line feed) without. */
export interface Outcome {
  json: unknown;
  text: string;
}

/** Values of the options that were given, by name. A switch that was given is `true`, and a repeatable option a list. */
export type GivenOptions = Readonly<Record<string, string | true | readonly string[]>>;

export type CommandRun = (given: GivenOptions, context: CommandContext) => Promise<Outcome>;

/** Where a command runs. */
export interface CommandContext {
  /** Reads the settings; commands that need none never call it. @throws SettingsError */
  readonly settings: () => Settings;
}

/** The command line itself is wrong: exit code 2. The message is one clear line. */
export class UsageError extends Error {}
