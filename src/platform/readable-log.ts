import { styleText } from 'node:util';

interface Fields extends Record<string, unknown> {
  time: number;
  level: number;
  name: string;
  msg: string;
  requestId?: string;
  /** Further arguments of Nest's logger, such as a stack. */
  more?: string[];
}

const WARN = 40;
const ERROR = 50;

/** A line of the log as a person at a terminal reads it: time, process, what happened, and the id of the request. */
export function readable(line: string): string {
  const fields = JSON.parse(line) as Fields;
  const { time, level, name, requestId } = fields;
  const text = fields.msg === 'request' ? requestOf(fields) : messageOf(fields);
  const shown = level < WARN ? text : styleText(level < ERROR ? 'yellow' : 'red', text, AS_IS);
  const process = name.replace('platform-', '');
  const start = styleText('dim', `${new Date(time).toTimeString().slice(0, 8)} ${process.padEnd(6)}`, AS_IS);
  const end = requestId === undefined ? '' : styleText('dim', ` ${requestId}`, AS_IS);
  return `${start} ${shown}${end}\n`;
}

/** The caller knows that a terminal reads it. */
const AS_IS = { validateStream: false };

function requestOf({ method, route, status, ms }: Fields): string {
  return `${String(method)} ${String(route)} ${String(status)} in ${Math.round(Number(ms))} ms`;
}

function messageOf({ context, msg, more = [] }: Fields): string {
  const before = typeof context === 'string' ? `${context}: ` : '';
  return [before + msg, ...more].join('\n');
}
