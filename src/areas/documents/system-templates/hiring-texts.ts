import { needs, SENDER, SYSTEM_STYLES } from './layout.js';
import type { SystemText } from './system-text.js';

const offerLetter: SystemText = {
  ...{ key: 'system.offer-letter', name: 'Offer letter', kind: 'offer_letter', format: 'html', isDefault: true },
  subject: 'Our offer: {{ offer.jobTitle | default: offer.name }}',
  styles: SYSTEM_STYLES,
  variablesSchema: needs('offer', 'name', 'employmentType'),
  body: `${SENDER}
<h1>Our offer to you</h1>
<p>{{ today | date: 'long' }}</p>
<p>We are pleased to offer you the position <strong>{{ offer.jobTitle | default: offer.name }}</strong>.</p>
<table>
  <tr><td>Employment</td><td>{{ offer.employmentType | replace: '_', ' ' }}</td></tr>
  {% if offer.startDate %}<tr><td>Start</td><td>{{ offer.startDate | date: 'long' }}</td></tr>{% endif %}
  {% if offer.pay %}<tr><td>Pay</td><td>{{ offer.pay.amountMinor | money: offer.pay.currency }} per {{ offer.pay.period }}</td></tr>{% endif %}
</table>
{% if offer.expiresAt %}<p>Please answer by {{ offer.expiresAt | date: 'long' }}.</p>{% endif %}
<p>{{ tenant.legalName | default: tenant.name }}</p>
`,
};

const interview: SystemText = {
  ...{ key: 'system.interview-invitation', name: 'Invitation to an interview', kind: 'email', format: 'text' },
  ...{ isDefault: false, styles: null, subject: 'Your interview with {{ tenant.name }}' },
  variablesSchema: needs('interview', 'startAt', 'endAt'),
  body: `Hello,

we would like to get to know you, and invite you to an interview.

Date: {{ interview.startAt | date: 'full' }}
Time: {{ interview.startAt | date: '%H:%M' }} to {{ interview.endAt | date: '%H:%M' }} ({{ tenant.timezone }})
{% if interview.location %}Place: {{ interview.location }}
{% endif %}
Please tell us if the time does not suit you.

{{ tenant.name }}
`,
};

const rejection: SystemText = {
  ...{ key: 'system.rejection', name: 'Rejection', kind: 'email', format: 'text' },
  ...{ isDefault: false, styles: null, subject: 'Your application to {{ tenant.name }}' },
  variablesSchema: needs('candidate', 'name'),
  body: `Hello {{ candidate.firstName | default: candidate.name }},

thank you for your application and your time. This time we have decided for somebody else.

We wish you all the best.

{{ tenant.name }}
`,
};

const cancellation: SystemText = {
  ...{ key: 'system.interview-cancellation', name: 'Cancellation of an interview', kind: 'email', format: 'text' },
  ...{ isDefault: false, styles: null, subject: 'Your interview with {{ tenant.name }} is cancelled' },
  variablesSchema: needs('interview', 'startAt'),
  body: `Hello,

your interview on {{ interview.startAt | date: 'full' }} at {{ interview.startAt | date: '%H:%M' }} ({{ tenant.timezone }}) does not take place.

{{ tenant.name }}
`,
};

const acknowledgement: SystemText = {
  ...{ key: 'system.acknowledgement', name: 'Acknowledgement of an application', kind: 'email', format: 'text' },
  ...{ isDefault: false, styles: null, subject: 'Your application to {{ tenant.name }}' },
  variablesSchema: needs('candidate', 'name'),
  body: `Hello {{ candidate.firstName | default: candidate.name }},

thank you for your application{% if job %} for the position {{ job.name }}{% endif %}. We have received it and will answer you as soon as we can.

{{ tenant.name }}
`,
};

const offerMail: SystemText = {
  ...{ key: 'system.offer', name: 'Mail with an offer', kind: 'email', format: 'text' },
  ...{ isDefault: false, styles: null, subject: 'Our offer: {{ offer.jobTitle | default: offer.name }}' },
  variablesSchema: needs('offer', 'name', 'employmentType'),
  body: `Hello {{ candidate.firstName | default: candidate.name }},

we are pleased to offer you the position {{ offer.jobTitle | default: offer.name }}.

Employment: {{ offer.employmentType | replace: '_', ' ' }}
{% if offer.startDate %}Start: {{ offer.startDate | date: 'long' }}
{% endif %}{% if offer.pay %}Pay: {{ offer.pay.amountMinor | money: offer.pay.currency }} per {{ offer.pay.period }}
{% endif %}
{% if offer.expiresAt %}Please answer this mail by {{ offer.expiresAt | date: 'long' }}.{% else %}Please answer this mail.{% endif %}

{{ tenant.legalName | default: tenant.name }}
`,
};

export const HIRING_TEXTS: readonly SystemText[] = [
  offerLetter,
  interview,
  rejection,
  cancellation,
  acknowledgement,
  offerMail,
];
