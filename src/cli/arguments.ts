import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { type Command, type GivenOptions, type OptionSpec, UsageError } from './command.js';
import { COMMANDS } from './commands.js';

/** A parsed command line. `helpFor` holds the words after `help` or before `--help`, which may be empty. */
export type ParsedLine =
  { command: Command; given: GivenOptions; json: boolean } | { helpFor: readonly string[]; json: boolean };

const HELP = new Set(['--help', '-h']);

/** Parses a command line (without the program name). @throws UsageError for an invalid one. */
export function parseLine(argv: readonly string[]): ParsedLine {
  // Accept `--json tenant list` as well as `tenant list --json`.
  const start = argv.findIndex((word) => word !== '--json' && !HELP.has(word));
  const line = start === -1 ? argv : [...argv.slice(start), ...argv.slice(0, start)];
  const firstOption = line.findIndex((word) => word.startsWith('-'));
  const words = firstOption === -1 ? line : line.slice(0, firstOption);
  const rest = firstOption === -1 ? [] : line.slice(firstOption);
  const json = rest.includes('--json');
  if (words[0] === 'help') return { helpFor: words.slice(1), json };
  if (rest.some((word) => HELP.has(word))) return { helpFor: words, json };
  if (words.length === 0) throw new UsageError(`No command was given; ${SEE_HELP}`);
  const command = commandOf(words);
  const { json: _, ...given } = optionsOf(command, line.slice(command.name.split(' ').length));
  return { command, given, json };
}

/** The commands whose names start with the words, in the order of the help. @throws UsageError when there are none. */
export function commandsNamed(words: readonly string[]): Command[] {
  const found = COMMANDS.filter(({ name }) => words.every((word, i) => name.split(' ')[i] === word));
  if (found.length === 0) throw new UsageError(`There is no command "${words.join(' ')}"; ${SEE_HELP}`);
  return found;
}

const SEE_HELP = '"help" lists the commands';

function commandOf(words: readonly string[]): Command {
  const exact = COMMANDS.find(({ name }) => name === words.join(' '));
  if (exact) return exact;
  const begun = COMMANDS.find(({ name }) => name === words.slice(0, name.split(' ').length).join(' '));
  if (begun?.operand) return begun;
  if (begun) throw unexpected(words[begun.name.split(' ').length]!, begun);
  const group = commandsNamed(words);
  throw new UsageError(`Incomplete command; choose one of: ${group.map(({ name }) => name).join(', ')}`);
}

function optionsOf(command: Command, args: readonly string[]): GivenOptions {
  const specs: Command['options'] = { ...command.options, json: { description: '' } };
  const types = Object.entries(specs).map(([name, { value }]) => [name, { type: value ? 'string' : 'boolean' }]);
  const options = Object.fromEntries(types) as ParseArgsOptionsConfig;
  // Not strict, because errors are reported with our own messages below.
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const given = new Map<string, string | true | string[]>();
  const operand = command.operand?.value.toLowerCase();
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (operand === undefined || given.has(operand)) throw unexpected(token.value, command);
      given.set(operand, token.value);
      continue;
    }
    if (token.kind !== 'option') continue;
    const spec = Object.hasOwn(specs, token.name) ? specs[token.name] : undefined;
    if (!spec || token.rawName !== `--${token.name}`) throw unexpected(token.rawName, command);
    const value = valueOf(token, spec);
    const before = given.get(token.name);
    if (spec.repeatable && typeof value === 'string') {
      given.set(token.name, [...(Array.isArray(before) ? before : []), value]);
      continue;
    }
    if (before !== undefined) throw new UsageError(`--${token.name} is given twice`);
    given.set(token.name, value);
  }
  if (operand !== undefined && !given.get(operand))
    throw new UsageError(`${command.name} needs ${command.operand!.value}`);
  const missing = Object.entries(specs).filter(([name, { required }]) => required && !given.has(name));
  if (missing.length > 0)
    throw new UsageError(
      `${command.name} needs ${missing.map(([name, { value }]) => `--${name} ${value}`).join(', ')}`,
    );
  return Object.fromEntries(given);
}

interface OptionToken {
  name: string;
  value: string | undefined;
  inlineValue: boolean | undefined;
}

function valueOf({ name, value, inlineValue = false }: OptionToken, spec: OptionSpec): string | true {
  if (spec.value === undefined) {
    if (inlineValue) throw new UsageError(`--${name} does not take a value`);
    return true;
  }
  if (value === undefined) throw new UsageError(`--${name} needs a value`);
  if (value.startsWith('-') && !inlineValue)
    throw new UsageError(`--${name} needs a value; write --${name}=VALUE for a value that starts with a hyphen`);
  return value;
}

function unexpected(word: string, command: Command): UsageError {
  return new UsageError(`${command.name} does not take "${word}"; "help ${command.name}" lists its options`);
}
