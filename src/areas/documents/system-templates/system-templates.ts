import { hash } from 'node:crypto';
import { documentTemplates, type TemplateView } from '../document-templates/document-template.js';
import { FINANCE_TEXTS } from './finance-texts.js';
import { HIRING_TEXTS } from './hiring-texts.js';
import { SALES_TEXTS } from './sales-texts.js';
import type { SystemText } from './system-text.js';

/** Language of the system templates. */
export const SYSTEM_LOCALE = 'en';

/** In the order of their ids, which never change: new ones are added at the end. */
const TEXTS: readonly SystemText[] = [...FINANCE_TEXTS, ...SALES_TEXTS, ...HIRING_TEXTS];

const BY_ID = new Map(TEXTS.map((text, index) => [idOf(index), viewOf(text, idOf(index))]));

/** The templates of the platform as the API shows them, in every tenant under the same ids. */
export function systemTemplates(): readonly TemplateView[] {
  return [...BY_ID.values()];
}

/** The template of the platform with an id. */
export function systemTemplate(id: string): TemplateView | undefined {
  return BY_ID.get(id);
}

function idOf(index: number): string {
  return `00000000-0000-7000-8000-0000000005${(index + 1).toString(16).padStart(2, '0')}`;
}

function viewOf(text: SystemText, id: string): TemplateView {
  const bodyHash = hash('sha256', text.body, 'hex');
  return {
    ...text,
    ...{ id, object: documentTemplates.type, version: 1, locale: SYSTEM_LOCALE, isSystem: true, bodyHash },
    ...{ status: 'published', currentVersion: 1, hasDraft: false },
    versions: [{ version: 1, bodyHash, publishedAt: null, publishedBy: null }],
    ...{ createdBy: null, createdAt: null, updatedAt: null },
  };
}
