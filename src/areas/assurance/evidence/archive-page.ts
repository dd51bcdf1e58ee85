import type { Row } from '#libs/database/flights/flight.js';
import { escaped } from '#libs/http/pages/markup.js';
import { textOf } from '#libs/kernel/csv.js';
import type { EvidenceArtifact, EvidenceBundle, EvidenceItem } from './evidence.dto.js';

/** Rows that the page shows; the CSV file has all. */
const SHOWN_ROWS = 100;

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:75rem;margin:2rem auto;padding:0 1rem;color:#1d2433}
table{border-collapse:collapse;width:100%;font-size:.8rem}th,td{border:1px solid #ccd;padding:.2rem .4rem;text-align:left;
vertical-align:top;overflow-wrap:anywhere}code{overflow-wrap:anywhere}.pass{color:#17663a}.fail{color:#a3141f;font-weight:600}
.not_tested{color:#667}section{break-inside:avoid-page;margin-top:2rem}@media print{body{margin:0;max-width:none}}`;

/** A page for people, without scripts. */
export function pageOf({ tenant, period, generatedAt, framework, items, summary, manifest }: EvidenceBundle): string {
  const { previousBundle, auditHead } = manifest;
  const facts: [string, string][] = [
    ['Tenant', `${tenant.slug} (${tenant.id})`],
    ['Bundle', manifest.id],
    ['Framework', framework],
    ['Period', `${period.from} to ${period.to}`],
    ['Generated', generatedAt],
    ['Result', `${summary.pass} passed, ${summary.fail} failed, ${summary.notTested} not tested`],
    ['Previous bundle', previousBundle?.id ?? 'none'],
    ['Audit log', `${auditHead.seq} entries, root ${auditHead.hash}`],
    ['Root hash', manifest.rootHash],
  ];
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>Compliance evidence: ${escaped(tenant.slug)}</title><style>${STYLE}</style></head><body>`,
    '<h1>Compliance evidence</h1>',
    `<table>${facts.map(([name, value]) => `<tr><th>${name}</th><td>${escaped(value)}</td></tr>`).join('')}</table>`,
    '<h2>Contents</h2>',
    `<table><tr><th>Control</th><th>Evidence</th><th>Rows</th><th>Status</th></tr>${items.map(lineOf).join('')}</table>`,
    ...items.map((item, index) => sectionOf(item, manifest.artifacts[index]!)),
    '<p>This page is for reading. What proves it: <a href="verification.txt">verification.txt</a>.</p>',
    '</body></html>\n',
  ].join('\n');
}

function lineOf({ controlId, title, data, status }: EvidenceItem): string {
  return `<tr><td><a href="#${controlId}">${controlId}</a></td><td>${escaped(title)}</td><td>${data.total}</td>${statusCell(status)}</tr>`;
}

const statusCell = (status: string): string => `<td class="${status}">${status.replace('_', ' ')}</td>`;

function sectionOf(
  { controlId, title, control, source, data, status }: EvidenceItem,
  artifact: EvidenceArtifact,
): string {
  const { soc2, iso27001, gdpr } = artifact.frameworks;
  const shown = data.rows.slice(0, SHOWN_ROWS);
  const rest = data.total - shown.length;
  return [
    `<section id="${controlId}"><h2>${escaped(title)}</h2>`,
    `<p>${escaped(control)}<br>${escaped(source)}</p>`,
    `<p class="${status}">Status: ${status.replace('_', ' ')}</p>`,
    `<p>SOC 2 ${soc2.join(', ') || '–'} · ISO 27001 ${iso27001.join(', ') || '–'} · GDPR ${gdpr.join(', ') || '–'}</p>`,
    tableOf(shown),
    ...(rest > 0 ? [`<p>${rest} more; see <a href="${artifact.file}.csv">${artifact.file}.csv</a>.</p>`] : []),
    '</section>',
  ].join('\n');
}

function tableOf(rows: readonly Row[]): string {
  if (rows.length === 0) return '<p>No rows.</p>';
  const names = Object.keys(rows[0]!);
  const cells = (row: Row): string => names.map((name) => `<td>${escaped(textOf(row[name]) ?? '')}</td>`).join('');
  const head = names.map((name) => `<th>${escaped(name)}</th>`).join('');
  return `<table><tr>${head}</tr>${rows.map((row) => `<tr>${cells(row)}</tr>`).join('')}</table>`;
}
