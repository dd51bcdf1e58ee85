import { operatorText } from '#libs/config/operator-error.js';
import { commandsNamed, parseLine } from './arguments.js';
import { type CommandContext, type Outcome, UsageError } from './command.js';

/** Exit code and output of a command. */
export interface Ended {
  exitCode: 0 | 1 | 2;
  stdout: string;
  stderr: string;
}

/**
 * Runs one operator command. Never throws: a failure is one line on stderr with nothing on stdout, and exit code 2 for
 * an invalid command line, otherwise 1.
 * @param argv the arguments after the program name.
 */
export async function runCommandLine(argv: readonly string[], context: CommandContext): Promise<Ended> {
  try {
    const line = parseLine(argv);
    const outcome = await ('helpFor' in line ? help(line.helpFor) : run(line, context));
    const text = line.json ? JSON.stringify(outcome.json) : outcome.text;
    return { exitCode: 0, stdout: `${text}\n`, stderr: '' };
  } catch (error) {
    return { exitCode: error instanceof UsageError ? 2 : 1, stdout: '', stderr: `${failureText(error)}\n` };
  }
}

async function run(line: Exclude<ReturnType<typeof parseLine>, { helpFor: unknown }>, context: CommandContext) {
  const work = await line.command.load();
  return work(line.given, context);
}

async function help(words: readonly string[]): Promise<Outcome> {
  const { helpOn } = await import('./help.js');
  return helpOn(commandsNamed(words));
}

/** One line for an expected failure. Control characters from the operator's input are replaced. */
function failureText(error: unknown): string {
  return error instanceof UsageError ? error.message.replace(/\p{Cc}+/gu, ' ') : operatorText(error);
}
