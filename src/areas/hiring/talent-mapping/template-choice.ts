import type { MappingTemplate, TemplateMatch } from './mapping-template.js';

/** What templates are matched against. */
export interface MatchFacts {
  jobId: string | null;
  departmentId: string | null;
  employmentType: string | null;
  country: string | null;
}

const CRITERIA = {
  jobIds: 'jobId',
  departmentIds: 'departmentId',
  employmentTypes: 'employmentType',
  countries: 'country',
} as const satisfies Record<keyof TemplateMatch, keyof MatchFacts>;

/**
 * The template with the most criteria among those that match, the oldest of several; the default one if none matches;
 * else null. `templates` are sorted by age, oldest first.
 */
export function bestTemplate(templates: readonly MappingTemplate[], facts: MatchFacts): MappingTemplate | null {
  let best: MappingTemplate | null = null;
  let most = 0;
  for (const template of templates) {
    const criteria = criteriaOf(template.match);
    if (criteria.length <= most || !criteria.every(([values, fact]) => values.includes(facts[fact] ?? ''))) continue;
    best = template;
    most = criteria.length;
  }
  return best ?? templates.find(({ isDefault }) => isDefault) ?? null;
}

function criteriaOf(match: TemplateMatch): [values: readonly string[], fact: keyof MatchFacts][] {
  return Object.entries(CRITERIA).flatMap(([criterion, fact]) => {
    const values: readonly string[] = match[criterion as keyof TemplateMatch] ?? [];
    return values.length > 0 ? [[values, fact]] : [];
  });
}
