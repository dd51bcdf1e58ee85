import { linesOf, needs, SENDER, SYSTEM_STYLES } from './layout.js';
import type { SystemText } from './system-text.js';

const proposal: SystemText = {
  ...{ key: 'system.proposal', name: 'Proposal', kind: 'proposal', format: 'html', isDefault: true },
  subject: 'Proposal: {{ deal.name }}',
  styles: SYSTEM_STYLES,
  variablesSchema: needs('deal', 'name', 'currency', 'lineItems'),
  body: `${SENDER}
<h1>Proposal: {{ deal.name }}</h1>
<p>{{ today | date: 'long' }} · {{ deal.reference }}</p>
<p>Thank you for your interest. We offer you the following.</p>
${linesOf('deal')}
{% if deal.valueMinor %}<p class="total">Total: {{ deal.valueMinor | money: deal.currency }}</p>{% endif %}
<p>Prices are without taxes. This proposal is valid for 30 days.</p>
`,
};

const contract: SystemText = {
  ...{ key: 'system.contract', name: 'Contract', kind: 'contract', format: 'html', isDefault: true },
  subject: 'Contract: {{ deal.name }}',
  styles: SYSTEM_STYLES,
  variablesSchema: needs('deal', 'name', 'currency', 'lineItems'),
  body: `${SENDER}
<h1>Contract: {{ deal.name }}</h1>
<p>{{ deal.reference }} · {{ today | date: 'long' }}</p>
<h2>1. Services</h2>
${linesOf('deal')}
<h2>2. Price</h2>
<p>{% if deal.valueMinor %}The price is {{ deal.valueMinor | money: deal.currency }}, without taxes.{% else %}The price is the sum of the services above, without taxes.{% endif %}</p>
<h2>3. Signatures</h2>
<table>
  <tr><td>{{ tenant.legalName | default: tenant.name }}</td><td>Customer</td></tr>
  <tr><td>Place, date, signature</td><td>Place, date, signature</td></tr>
</table>
`,
};

const handoff: SystemText = {
  ...{ key: 'system.handoff', name: 'Handoff to delivery', kind: 'handoff', format: 'markdown', isDefault: true },
  ...{ subject: 'Handoff: {{ project.name }}', styles: null },
  variablesSchema: needs('project', 'name', 'reference'),
  body: `# Handoff: {{ project.name }}

- Project: {{ project.reference }}
- Start: {{ project.startDate | date: 'long' }}
- Target date: {{ project.targetDate | date: 'long' }}
- Priority: {{ project.priority }}

{{ project.description }}
`,
};

export const SALES_TEXTS: readonly SystemText[] = [proposal, contract, handoff];
