import type { Command, Outcome } from './command.js';

const WIDTH = 22;

/** Help on commands: usage and options. */
export function helpOn(commands: readonly Command[]): Outcome {
  const blocks = commands.map((command) => [usageOf(command), `    ${command.summary}`, ...optionLines(command)]);
  const text = [
    'Usage: npm run --silent platform -- <command> [options] [--json]',
    '',
    ...blocks.flatMap((lines) => [...lines, '']),
    'With --json a command prints one JSON document and nothing else. "help COMMAND" shows one command.',
    'Exit code: 0 success, 1 failure, 2 invalid command line.',
  ].join('\n');
  return {
    text,
    json: commands.map(({ name, summary, operand = null, options }) => ({
      command: name,
      summary,
      operand,
      options: Object.entries(options).map(([option, { value = null, description, required = false }]) => ({
        name: `--${option}`,
        value,
        description,
        required,
      })),
    })),
  };
}

/** A command with its operand and options, e.g. `backup FILE` or `apikey revoke --tenant SLUG --id ID`. */
export function usageOf({ name, operand, options }: Command): string {
  const parts = Object.entries(options).map(([option, { value, required }]) => {
    const part = value === undefined ? `--${option}` : `--${option} ${value}`;
    return required ? part : `[${part}]`;
  });
  return [name, ...(operand ? [operand.value] : []), ...parts].join(' ');
}

function optionLines({ operand, options }: Command): string[] {
  const lines = Object.entries(options).map(([option, { description }]) => optionLine(`--${option}`, description));
  return operand ? [optionLine(operand.value, operand.description), ...lines] : lines;
}

function optionLine(name: string, description: string): string {
  return `      ${name.padEnd(WIDTH + 2)}${description.replaceAll('`', '')}`;
}
