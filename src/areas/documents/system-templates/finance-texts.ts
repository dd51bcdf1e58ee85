import { linesOf, needs, SENDER, SYSTEM_STYLES } from './layout.js';
import type { SystemText } from './system-text.js';

const SUMS = (document: string): string => `<table>
  <tr><td>Net</td><td class="amount">{{ ${document}.subtotalMinor | minus: ${document}.discountMinor | money: ${document}.currency }}</td></tr>
  {% for tax in ${document}.taxBreakdown %}
  <tr><td>{{ tax.name }} {{ tax.percent | number }} %</td><td class="amount">{{ tax.taxMinor | money: ${document}.currency }}</td></tr>
  {% endfor %}
  <tr class="total"><td>Total</td><td class="amount">{{ ${document}.totalMinor | money: ${document}.currency }}</td></tr>
</table>`;

const invoice: SystemText = {
  ...{ key: 'system.invoice', name: 'Invoice', kind: 'invoice', format: 'html', isDefault: true },
  subject: 'Invoice {{ invoice.number }}',
  styles: SYSTEM_STYLES,
  variablesSchema: needs('invoice', 'number', 'currency', 'lineItems', 'totalMinor'),
  body: `${SENDER}
{% if invoice.customer %}<p><strong>{{ invoice.customer.name }}</strong>{% if invoice.customer.address %}<br>{{ invoice.customer.address.line1 }}<br>{{ invoice.customer.address.postalCode }} {{ invoice.customer.address.city }}{% endif %}</p>{% endif %}
<h1>Invoice {{ invoice.number }}</h1>
<p>Date: {{ invoice.issueDate | date: 'long' }}<br>Due: {{ invoice.dueDate | date: 'long' }}{% if invoice.poNumber %}<br>Your order: {{ invoice.poNumber }}{% endif %}</p>
${linesOf('invoice')}
${SUMS('invoice')}
{% if invoice.notes %}<p class="address">{{ invoice.notes }}</p>{% endif %}
{% if invoice.terms %}<p class="address">{{ invoice.terms }}</p>{% endif %}
<p class="small">{% if tenant.bank %}<span class="address">{{ tenant.bank }}</span>{% endif %}{% if tenant.taxId %}<br>Tax number: {{ tenant.taxId }}{% endif %}</p>
`,
};

const creditNote: SystemText = {
  ...{ key: 'system.credit-note', name: 'Credit note', kind: 'invoice', format: 'html', isDefault: false },
  subject: 'Credit note {{ creditNote.number }}',
  styles: SYSTEM_STYLES,
  variablesSchema: needs('creditNote', 'number', 'currency', 'lineItems', 'totalMinor'),
  body: `${SENDER}
<h1>Credit note {{ creditNote.number }}</h1>
<p>Date: {{ creditNote.issueDate | date: 'long' }}<br>Reason: {{ creditNote.reason }}</p>
${linesOf('creditNote')}
${SUMS('creditNote')}
`,
};

const REMINDERS = [
  {
    level: 1,
    name: 'Payment reminder',
    opening: 'Perhaps it has escaped your notice: the following invoice is due.',
    closing: 'If you have paid in the meantime, please ignore this letter.',
  },
  {
    level: 2,
    name: 'Second payment reminder',
    opening: 'We have not received a payment for the following invoice, although we have reminded you of it.',
    closing: 'Please pay within seven days.',
  },
  {
    level: 3,
    name: 'Final payment reminder',
    opening: 'In spite of our reminders, the following invoice is still unpaid.',
    closing: 'Please pay at once. Otherwise we will have to take further steps.',
  },
];

const reminders = REMINDERS.map(({ level, name, opening, closing }): SystemText => ({
  ...{ key: `system.reminder-${level}`, name, kind: 'email', format: 'text', isDefault: false, styles: null },
  subject: `${name}: invoice {{ invoice.number }}`,
  variablesSchema: needs('invoice', 'number', 'currency', 'balanceMinor', 'dueDate'),
  body: `Dear {% if invoice.customer %}{{ invoice.customer.name }}{% else %}customer{% endif %},

${opening}

Invoice: {{ invoice.number }}
Due on: {{ invoice.dueDate | date: 'long' }}
To pay: {{ invoice.balanceMinor | money: invoice.currency }}
{% if link %}
Open it here:
{{ link }}
{% endif %}
{% if tenant.bank %}{{ tenant.bank }}

{% endif %}${closing}

{{ tenant.legalName | default: tenant.name }}
`,
}));

export const FINANCE_TEXTS: readonly SystemText[] = [invoice, creditNote, ...reminders];
