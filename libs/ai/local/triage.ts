import { cut } from '#libs/kernel/cut.js';
import { categoriesOf } from '../kinds/tickets.js';
import type { ModelTask } from '../provider.js';
import type { LocalAnswer } from './answer.js';
import { classify } from './classify.js';
import { bestSentences } from './ranking.js';
import { counts, fold, spellingsOf, termsOf } from './words.js';

type Priority = 'low' | 'normal' | 'high' | 'urgent';

/** Rules of priority, the strongest first. Words are folded; each rule states its reason. */
const RULES: { priority: Priority; reason: string; pattern: RegExp }[] = [
  {
    priority: 'urgent',
    reason: 'It speaks of danger, lost data or a breach.',
    pattern:
      /data (?:loss|lost|breach)|lost (?:all )?(?:our |my )?data|security (?:breach|incident)|hacked|datenverlust|gehackt|perte de donnees|perdida de datos|perda de dados/,
  },
  {
    priority: 'urgent',
    reason: 'Many people cannot work.',
    pattern:
      /(?:everyone|everybody|nobody|all (?:users|customers|of us)|whole (?:team|company|office)|production)[^.!?]{0,60}(?:down|cannot|can't|unable|blocked|locked|fails|failing|stopped)|outage|system (?:is )?down|totalausfall|niemand kann|personne ne peut|nadie puede|ninguem consegue/,
  },
  {
    priority: 'high',
    reason: 'Somebody cannot work.',
    pattern:
      /cannot (?:log|sign|work|access|use|pay|open|send)|can't (?:log|sign|work|access|use|pay|open|send)|unable to|locked out|not working|stopped working|crash|funktioniert nicht|geht nicht|kann (?:mich )?nicht|ne fonctionne (?:pas|plus)|no funciona|no puedo|nao funciona|nao consigo/,
  },
  {
    priority: 'high',
    reason: 'It says that it is urgent, or names a deadline that is close.',
    pattern:
      /urgent|asap|as soon as possible|immediately|deadline|(?:by|until|before) (?:today|tonight|tomorrow)|dringend|sofort|bis (?:heute|morgen)|des que possible|urgente|cuanto antes|o quanto antes/,
  },
  {
    priority: 'low',
    reason: 'It says that it can wait, or is an idea.',
    pattern:
      /no (?:rush|hurry)|not urgent|whenever (?:you|it)|nice to have|feature request|suggestion|would be (?:nice|great)|nicht eilig|keine eile|wunsch|pas urgent|suggestion|sin prisa|sugerencia|sem pressa|sugestao/,
  },
];
const MAX_TAGS = 5;
const MAX_READ = 50_000;

/** Category by shared words, priority by rules with reasons. The tone of the message is ignored. */
export function triageRequest(task: ModelTask): LocalAnswer {
  const { subject = '', body } = task.input as { subject?: string; body: string };
  const text = `${subject}\n${body}`;
  const verdict = classify(
    text,
    categoriesOf(task).map(({ key, description = '' }) => ({ label: key, words: `${key} ${description}` })),
  );
  const { priority, reason } = priorityOf(text);
  const summary = bestSentences(body, 2, subject).join(' ') || subject || cut(body.trim(), 200);
  const spellings = spellingsOf(text);
  const tags = [...counts(termsOf(text))]
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_TAGS)
    .map(([term]) => spellings.get(term)!);
  const why =
    verdict.label === null
      ? 'No category: it shares no words with any of them.'
      : `Category ${verdict.label}: shared words ${verdict.shared.join(', ')}.`;
  return {
    json: {
      category: verdict.label,
      priority,
      summary: cut(summary, 2_000),
      tags,
      reasons: [cut(why, 1_000), `Priority ${priority}: ${reason}`],
    },
  };
}

/** The first rule that matches; `not urgent` does not count as urgent. */
function priorityOf(text: string): { priority: Priority; reason: string } {
  const low = fold(cut(text, MAX_READ)).replaceAll(/[’]/g, "'");
  const calm = RULES.at(-1)!;
  const without = low.replaceAll(/not urgent|nicht eilig|pas urgent|no es urgente|nao (?:e )?urgente/g, ' ');
  const found = RULES.find((rule) => rule.pattern.test(rule === calm ? low : without));
  return found ?? { priority: 'normal', reason: 'No rule for another priority fits.' };
}
