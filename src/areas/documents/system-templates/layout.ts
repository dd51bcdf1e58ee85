/** Style sheet of the system templates in HTML. */
export const SYSTEM_STYLES = `@page { margin: 20mm }
body { font-family: sans-serif; font-size: 10pt; line-height: 1.45; color: #1d2433 }
h1 { font-size: 16pt; margin: 0 0 8mm }
table { width: 100%; border-collapse: collapse; margin: 6mm 0 }
th, td { text-align: left; vertical-align: top; padding: 1.5mm 4mm 1.5mm 0; border-bottom: 0.2mm solid #d5d9e2 }
.amount { text-align: right; white-space: nowrap; padding: 1.5mm 0 1.5mm 4mm }
.address { white-space: pre-line }
.total { font-weight: bold }
.brand { font-size: 13pt; font-weight: bold; margin: 0 0 2mm }
.small { font-size: 8pt; color: #5b6475 }
`;

/** The sender, as at the top of letters. */
export const SENDER = `<p class="brand" style="color: {{ tenant.primaryColor | default: '#1d2433' }}">{{ tenant.name }}</p>
<p class="small">{{ tenant.legalName | default: tenant.name }}{% if tenant.address %}<br><span class="address">{{ tenant.address }}</span>{% endif %}</p>`;

/** Table of the lines of \`document\`. */
export const linesOf = (document: string): string => `<table>
  <thead>
  <tr><th>Description</th><th class="amount">Quantity</th><th class="amount">Price</th><th class="amount">Net</th></tr>
  </thead>
  <tbody>
  {% for line in ${document}.lineItems %}
  <tr>
    <td>{{ line.description }}</td>
    <td class="amount">{{ line.quantity | number }} {{ line.unit }}</td>
    <td class="amount">{{ line.unitPriceMinor | money: ${document}.currency }}</td>
    <td class="amount">{{ line.netMinor | money: ${document}.currency }}</td>
  </tr>
  {% endfor %}
  </tbody>
</table>`;

/** A schema that requires a record under its noun, with some members. */
export function needs(noun: string, ...members: string[]): Record<string, unknown> {
  return {
    type: 'object',
    properties: { [noun]: { type: 'object', required: members } },
    required: [noun],
  };
}
