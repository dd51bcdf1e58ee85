import { hash } from 'node:crypto';
import type { SampleStory } from '#libs/resource/sample/sample-story.js';

const LETTERHEAD = {
  ...{ key: 'sample-letterhead', name: 'Sample: letterhead', kind: 'generic', format: 'html', subject: null },
  ...{ variablesSchema: null, styles: 'p { margin: 0 }' },
  body: '<p><strong>{{ tenant.legalName | default: tenant.name }}</strong></p>\n',
};
const PROPOSAL = {
  ...{ key: 'sample-proposal', name: 'Sample: short proposal', kind: 'proposal', format: 'html' },
  subject: 'Our proposal: {{ deal.name }}',
  styles: 'h1 { font-size: 16pt }',
  variablesSchema: { type: 'object', properties: { deal: { type: 'object' } }, required: ['deal'] },
  body: `{% render 'sample-letterhead' %}
<h1>{{ deal.name }}</h1>
<p>{{ today | date: 'long' }}</p>
{% if deal.valueMinor %}<p>Price: {{ deal.valueMinor | money: deal.currency }}</p>{% endif %}
`,
};

/** A published template, and a draft that includes it. */
export function documentsSample(story: SampleStory): void {
  const createdAt = story.at(60);
  const common = (template: typeof LETTERHEAD | typeof PROPOSAL) => ({
    ...{ ...template, bodyHash: hash('sha256', template.body, 'hex'), locale: story.settings.general.locale },
    ...{ isDefault: false, version: 1, createdBy: story.author, createdAt, updatedAt: createdAt },
  });
  const published = { status: 'published', currentVersion: 1, hasDraft: false };
  const templateId = story.object('letterhead', 'data.document_templates', { ...common(LETTERHEAD), ...published });
  const { subject, body, styles, variablesSchema } = LETTERHEAD;
  story.link('data.document_template_versions', {
    ...{ templateId, number: 1, subject, body, styles, variablesSchema, bodyHash: hash('sha256', body, 'hex') },
    ...{ publishedAt: createdAt, publishedBy: story.author },
  });
  story.object('short proposal', 'data.document_templates', {
    ...common(PROPOSAL),
    ...{ status: 'draft', currentVersion: null, hasDraft: true },
  });
}
