import { Problem, type Violation } from '#libs/kernel/problem.js';
import {
  type DocumentLines,
  documentLines,
  type DocumentRules,
  lineInputOf,
  ratesOf,
} from '#libs/lines/document-lines.js';
import type { LineView } from '#libs/lines/line.dto.js';
import type { AcceptedOption, ChosenLine, ProposalLine, ProposalLineInput } from './proposal.parts.js';

type Rules = Pick<DocumentRules, 'taxInclusive' | 'taxRounding'>;
/** What one of a product costs, in minor units of the currency of the proposal, by product id. */
export type Costs = ReadonlyMap<string, number>;

/** What a customer chose. */
export interface Chosen extends DocumentLines {
  acceptedOptions: AcceptedOption[];
}

/**
 * Completes the lines of a proposal; the sums are those of the lines that are selected in advance.
 * @param costs for lines with a product; lines that are not written again keep theirs
 * @throws Problem 400 for faulty lines.
 */
export function proposalLines(
  input: readonly ProposalLineInput[],
  rules: Omit<DocumentRules, 'present'> & { present: readonly ProposalLine[]; costs: Costs },
): Omit<DocumentLines, 'lineItems'> & { lineItems: ProposalLine[] } {
  const lines = input.map((line) => ({ ...line, quantity: line.quantity ?? line.quantityChoices?.[0] ?? 1 }));
  const violations = lines.flatMap(choiceFaults);
  if (violations.length > 0) throw Problem.validation(violations);
  const { lineItems } = documentLines(lines, rules);
  const known = new Map(rules.present.map(({ id, unitCostMinor }) => [id, unitCostMinor]));
  const completed = lineItems.map((line, index): ProposalLine => {
    const { isOptional = false, isSelected = false, quantityChoices = [] } = input[index]!;
    const { productId, id } = line;
    const unitCostMinor = (productId === null ? undefined : rules.costs.get(productId)) ?? known.get(id) ?? null;
    return { ...line, isOptional, isSelected: !isOptional || isSelected, quantityChoices, unitCostMinor };
  });
  const selected = completed.filter(({ isSelected }) => isSelected);
  return { ...sumsOf(selected, rules), lineItems: completed };
}

/**
 * The lines that a customer accepts: those that are not optional, and the chosen ones.
 * @param options null for what is selected in advance
 * @throws Problem 400 for a line that cannot be chosen, or a quantity that is not offered.
 */
export function chosenLines(
  lines: readonly ProposalLine[],
  options: readonly ChosenLine[] | null,
  rules: Rules,
): Chosen {
  const violations = (options ?? []).flatMap((option, index) => optionFaults(option, index, options!, lines));
  if (violations.length > 0) throw Problem.validation(violations);
  const asked = new Map(options?.map(({ lineId, quantity }) => [lineId, quantity]));
  const accepted = lines
    .filter(({ id, isOptional, isSelected }) => !isOptional || (options === null ? isSelected : asked.has(id)))
    .map((line) => ({ ...line, quantity: asked.get(line.id) ?? line.quantity }));
  const acceptedOptions = accepted
    .filter((line) => isChoosable(line))
    .map(({ id: lineId, quantity }) => ({ lineId, quantity }));
  return { ...sumsOf(accepted, rules), acceptedOptions };
}

/** Whether the customer decides on anything about a line. */
export function isChoosable({ isOptional, quantityChoices }: ProposalLine): boolean {
  return isOptional || quantityChoices.length > 0;
}

/** A stored line as its caller would send it. */
export function proposalLineInputOf(line: ProposalLine): ProposalLineInput {
  const { isOptional, isSelected, quantityChoices } = line;
  return { ...lineInputOf(line), isOptional, isSelected, quantityChoices };
}

/** Net total less cost in minor units, and in percent with two decimals; null unless each selected line has a cost. */
export function marginOf(
  lines: readonly ProposalLine[],
  netMinor: number,
): { minor: number | null; percent: number | null } {
  const selected = lines.filter(({ isSelected }) => isSelected);
  if (selected.length === 0 || selected.some(({ unitCostMinor }) => unitCostMinor === null))
    return { minor: null, percent: null };
  const cost = selected.reduce((sum, { unitCostMinor, quantity }) => sum + Math.round(unitCostMinor! * quantity), 0);
  const minor = netMinor - cost;
  if (!Number.isSafeInteger(minor)) return { minor: null, percent: null };
  return { minor, percent: netMinor > 0 ? Math.max(-1e9, Math.round((minor / netMinor) * 10_000) / 100) : null };
}

function sumsOf(lines: readonly LineView[], { taxInclusive, taxRounding }: Rules): DocumentLines {
  return documentLines(lines.map(lineInputOf), { taxInclusive, taxRounding, rates: ratesOf(lines), present: lines });
}

function choiceFaults({ quantity, quantityChoices = [] }: ProposalLineInput, index: number): Violation[] {
  if (quantityChoices.length === 0 || quantityChoices.includes(quantity!)) return [];
  return [
    {
      pointer: `/lineItems/${index}/quantity`,
      code: 'invalid_value',
      detail: 'The quantity must be one of those to choose from.',
    },
  ];
}

function optionFaults(
  { lineId, quantity }: ChosenLine,
  index: number,
  all: readonly ChosenLine[],
  lines: readonly ProposalLine[],
): Violation[] {
  const line = lines.find(({ id }) => id === lineId);
  const fault = (member: string, code: string, detail: string) => [
    { pointer: `/options/${index}/${member}`, code, detail },
  ];
  if (!line || !isChoosable(line)) return fault('lineId', 'unknown_line', 'The proposal has no such line to choose.');
  if (all.findIndex((each) => each.lineId === lineId) < index)
    return fault('lineId', 'not_unique', 'The line is chosen twice.');
  const offered = line.quantityChoices.length > 0 ? line.quantityChoices : [line.quantity];
  if (quantity === undefined || offered.includes(quantity)) return [];
  return fault('quantity', 'invalid_value', `The quantity must be one of ${offered.join(', ')}.`);
}
