import { cut } from '#libs/kernel/cut.js';
import type { ModelTask } from '../provider.js';
import type { LocalAnswer } from './answer.js';
import { labelOf } from './facts.js';

type Row = Record<string, string | number | boolean | null>;

const MAX_COLUMNS = 12;
const TOP = 3;

interface Column {
  name: string;
  label: string;
  values: { value: number; of: string }[];
}

/** A report about rows: for each numeric column its sum, mean, extremes and change, and the largest contributors. */
export function narrateReport({ input }: ModelTask): LocalAnswer {
  const { rows, title, labelColumn } = input as { rows: Row[]; title?: string; labelColumn?: string };
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const naming = labelColumn ?? names.find((name) => rows.some((row) => typeof row[name] === 'string'));
  const labelAt = (row: Row, index: number) =>
    String((naming === undefined ? null : row[naming]) ?? `row ${index + 1}`);
  const columns = names
    .filter((name) => name !== naming && rows.some((row) => typeof row[name] === 'number'))
    .slice(0, MAX_COLUMNS)
    .map((name): Column => ({
      name,
      label: labelOf(name),
      values: rows.flatMap((row, index) => {
        const value = row[name];
        return typeof value === 'number' ? [{ value, of: labelAt(row, index) }] : [];
      }),
    }));
  const subject = title ?? (naming === undefined ? 'The report' : `By ${labelOf(naming).toLowerCase()}`);
  if (columns.length === 0) {
    const said = cut(`${subject}: ${rows.length} rows, none of them with numbers.`, 500);
    return { json: { headline: said, paragraphs: [said] } };
  }
  const change = changeOf(columns[0]!);
  const headline = `${subject}: ${columns[0]!.label.toLowerCase()} ${figure(sum(columns[0]!))} over ${rows.length} rows${change === null ? '' : `, ${change}`}.`;
  return { json: { headline: cut(headline, 500), paragraphs: columns.map(paragraphOf) } };
}

function paragraphOf(column: Column): string {
  const { label, values } = column;
  const total = sum(column);
  const sorted = [...values].sort((a, b) => b.value - a.value);
  const [highest, lowest] = [sorted[0]!, sorted.at(-1)!];
  const change = changeOf(column);
  const sentences = [`${label}: ${figure(total)} in all, ${figure(total / values.length)} on average.`];
  if (values.length > 1)
    sentences.push(
      `The highest is ${figure(highest.value)} (${highest.of}), the lowest ${figure(lowest.value)} (${lowest.of}).`,
    );
  if (change !== null) sentences.push(`From ${values[0]!.of} to ${values.at(-1)!.of} it ${change}.`);
  if (values.length > TOP && total > 0 && lowest.value >= 0) {
    const share = sorted.slice(0, TOP).reduce((part, { value }) => part + value, 0) / total;
    sentences.push(
      `${sorted
        .slice(0, TOP)
        .map(({ of }) => of)
        .join(', ')} make up ${Math.round(share * 100)} % of it.`,
    );
  }
  return cut(sentences.join(' '), 5_000);
}

function changeOf({ values }: Column): string | null {
  const [first, last] = [values[0], values.at(-1)];
  if (values.length < 2 || !first || !last) return null;
  if (first.value === last.value) return 'stayed the same';
  const by =
    first.value === 0
      ? ''
      : ` by ${Math.abs(Math.round((100 * (last.value - first.value)) / Math.abs(first.value)))} %`;
  return `${last.value > first.value ? 'rose' : 'fell'}${by}`;
}

function sum({ values }: Column): number {
  return values.reduce((total, { value }) => total + value, 0);
}

/** Removes rounding errors of binary fractions. */
function figure(value: number): string {
  return String(Math.round(value * 100) / 100);
}
