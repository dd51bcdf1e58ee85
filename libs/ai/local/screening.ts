import { cut } from '#libs/kernel/cut.js';
import type { ModelTask } from '../provider.js';
import type { LocalAnswer } from './answer.js';
import { statementsOf } from './letters.js';
import { Passages } from './ranking.js';
import { sentencesOf, termsOf } from './words.js';

/** Share of the words in a criterion's name that the material must contain. */
const ENOUGH = 0.6;
const STRONG = 75;
const POSSIBLE = 40;

interface Criterion {
  name: string;
  description?: string;
  required?: boolean;
}

/**
 * Which criteria the material about a candidate meets, each with the passage as evidence. The job description is not
 * evidence.
 */
export function screenCandidate({ input, records }: ModelTask): LocalAnswer {
  const { criteria, text = '' } = input as { criteria: Criterion[]; text?: string };
  const about = records.filter(({ object }) => object !== 'talent.job');
  const passages = new Passages([...sentencesOf(text), ...about.flatMap(statementsOf)]);
  const judged = criteria.map((criterion) => judge(criterion, passages));
  const weights = criteria.map(({ required }) => (required ? 2 : 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const score = Math.round(
    (100 * judged.reduce((sum, { met }, index) => (met ? sum + weights[index]! : sum), 0)) / total,
  );
  const lacking = criteria.filter(({ required }, index) => required && !judged[index]!.met);
  const fit =
    lacking.length > 0
      ? score >= POSSIBLE
        ? 'possible'
        : 'weak'
      : score >= STRONG
        ? 'strong'
        : score >= POSSIBLE
          ? 'possible'
          : 'weak';
  const met = judged.filter((each) => each.met).length;
  const reasons = [`The material speaks of ${met} of ${criteria.length} criteria.`];
  if (lacking.length > 0)
    reasons.push(cut(`It does not speak of what is required: ${lacking.map(({ name }) => name).join(', ')}.`, 2_000));
  return { json: { fit, score, criteria: judged, reasons } };
}

function judge({ name, description = '' }: Criterion, passages: Passages) {
  const wanted = new Set(termsOf(name));
  const named = [...wanted].filter((term) => passages.has(term)).length;
  const hinted = termsOf(description).some((term) => passages.has(term));
  const met = wanted.size > 0 ? named / wanted.size >= ENOUGH || (named > 0 && hinted) : hinted;
  const [evidence] = met ? passages.relevant(`${name} ${description}`, 1) : [];
  return { name, met, evidence: evidence ? cut(evidence, 2_000) : null };
}
