import { didYouMean } from '#libs/http/problems/hints.js';
import type { Violation } from '#libs/kernel/problem.js';
import type { ListRequest } from '#libs/resource/lists/list-query.js';
import type { Resource } from '#libs/resource/resource-registry.js';
import { CURRENCY, isAmount, isGroupable, isNumber, isOrdered, type ReportField } from './report-fields.js';
import type { Aggregate, Bucket, Question, ReportMeasure } from './question.js';

/** A column that groups the records. */
export interface PlannedDimension {
  key: string;
  field: ReportField;
  bucket: Bucket | null;
}

/** A column with a figure; only `count` has no field. */
export interface PlannedMeasure {
  key: string;
  aggregate: Aggregate;
  field: ReportField | null;
}

/** A question that has been checked against the declaration of its type and the rights of the caller. */
export interface ReportPlan {
  resource: Resource;
  /** The filter as the list reads it. */
  request: ListRequest;
  /** The filter as it was sent. */
  filter: Readonly<Record<string, string>>;
  dimensions: PlannedDimension[];
  measures: PlannedMeasure[];
  /** Positions among the dimensions, then the measures. */
  order: { column: number; descending: boolean }[];
  maxRows: number;
}

type Fields = ReadonlyMap<string, ReportField>;
type Columns = Pick<ReportPlan, 'dimensions' | 'measures' | 'order'>;

const SUMMING: ReadonlySet<Aggregate> = new Set(['sum', 'avg', 'median']);
const COMPARING: ReadonlySet<Aggregate> = new Set(['min', 'max']);

/**
 * The columns of a question, or everything that is wrong with it.
 * @param concealed the fields that the caller may not see, with the missing permission
 */
export function planColumns(
  { dimensions, measures, sort }: Question,
  fields: Fields,
  concealed: ReadonlyMap<string, string>,
): { columns: Columns; violations: Violation[] } {
  const violations: Violation[] = [];
  const fault = (pointer: string, code: string, detail: string) => void violations.push({ pointer, code, detail });
  const find = (name: string, pointer: string): ReportField | null => {
    const permission = concealed.get(name);
    const field = fields.get(name);
    if (permission !== undefined) fault(pointer, 'field_forbidden', `This requires the permission ${permission}.`);
    else if (field) return field;
    else
      fault(
        pointer,
        'unknown_field',
        `Reports can only use single-valued fields that are stored in the record.${didYouMean(name, fields.keys())}`,
      );
    return null;
  };
  const grouped = dimensions.flatMap(({ field: name, bucket = null }, index): PlannedDimension[] => {
    const at = `/dimensions/${index}`;
    const field = find(name, `${at}/field`);
    if (!field) return [];
    const isTime = field.kind === 'instant' || field.kind === 'date';
    if (bucket !== null && !isTime)
      fault(`${at}/bucket`, 'not_applicable', 'Only dates and times are grouped by period.');
    else if (bucket === null && field.kind === 'instant')
      fault(`${at}/bucket`, 'required', 'Times are grouped by period; send a bucket.');
    else if (!isGroupable(field, bucket !== null))
      fault(`${at}/field`, 'not_groupable', 'The list cannot be filtered by this field, so no group could be listed.');
    else return [{ key: bucket === null ? name : `${name}_${bucket}`, field, bucket }];
    return [];
  });
  const measured = measures.flatMap((measure, index): PlannedMeasure[] => {
    const at = `/measures/${index}`;
    const { aggregate, field: name = null } = measure;
    if (aggregate === 'count') {
      if (name !== null) fault(`${at}/field`, 'not_applicable', '`count` counts records; it takes no field.');
      return name === null ? [{ key: 'count', aggregate, field: null }] : [];
    }
    if (name === null) {
      fault(`${at}/field`, 'required', `\`${aggregate}\` requires a field.`);
      return [];
    }
    const field = find(name, `${at}/field`);
    if (!field) return [];
    const detail = misfit(measure, field, fields);
    if (detail !== null) fault(`${at}/field`, 'not_measurable', detail);
    return [{ key: `${aggregate}_${name}`, aggregate, field }];
  });
  const all = withCurrency(grouped, measured, fields);
  const keys = [...all, ...measured].map(({ key }) => key);
  for (const [place, columns] of [
    ['dimensions', grouped],
    ['measures', measured],
  ] as const)
    columns.forEach(({ key }, index) => {
      if (columns.findIndex((each) => each.key === key) < index)
        fault(`/${place}/${index}`, 'not_unique', `The report has the column ${key} twice.`);
    });
  const order = sort.flatMap((term, index) => {
    const key = term.replace(/^-/, '');
    const column = keys.indexOf(key);
    if (column < 0) fault(`/sort/${index}`, 'invalid_value', `The columns are ${keys.join(', ')}.`);
    return column < 0 ? [] : [{ column, descending: term.startsWith('-') }];
  });
  return { columns: { dimensions: all, measures: measured, order }, violations };
}

/** Why a field does not fit its aggregate; null if it does. */
function misfit({ aggregate }: ReportMeasure, field: ReportField, fields: Fields): string | null {
  if (SUMMING.has(aggregate) && !isNumber(field)) return `\`${aggregate}\` requires a number.`;
  if (COMPARING.has(aggregate) && !isOrdered(field)) return `\`${aggregate}\` requires a number, date or time.`;
  const currency = fields.get(CURRENCY);
  if (aggregate !== 'count_distinct' && isAmount(field) && !(currency && isGroupable(currency, false)))
    return 'The list cannot be filtered by currency, so amounts cannot be kept apart.';
  return null;
}

/** Amounts are grouped by currency. */
function withCurrency(
  dimensions: PlannedDimension[],
  measures: readonly PlannedMeasure[],
  fields: Fields,
): PlannedDimension[] {
  const hasAmounts = measures.some(({ aggregate, field }) => {
    return field !== null && aggregate !== 'count_distinct' && isAmount(field);
  });
  const currency = fields.get(CURRENCY);
  if (!hasAmounts || !currency || dimensions.some(({ key }) => key === CURRENCY)) return dimensions;
  return [...dimensions, { key: CURRENCY, field: currency, bucket: null }];
}
