import type { Page } from '#libs/http/page.js';
import type { Brand } from '#libs/http/pages/brand.js';
import { formatsOf } from '#libs/http/pages/formats.js';
import { markup, paragraphs } from '#libs/http/pages/markup.js';
import type { PublicProposal, PublicProposalLine } from './public-proposal.dto.js';

const STATES: Record<PublicProposal['status'], string> = {
  open: 'waits for your answer',
  accepted: 'accepted',
  declined: 'declined',
  expired: 'expired',
  superseded: 'being revised; a new version follows',
  withdrawn: 'withdrawn',
};

/**
 * A proposal for a customer who opens the link in a browser, with the forms to answer while it waits for an answer.
 * @param action address of the forms without `/accept` and `/decline`; null where nothing is to be answered
 */
export function proposalPage(
  proposal: PublicProposal,
  { brand, action }: { brand: Brand; action: string | null },
): Page {
  const { number, versionNumber, name, status, validUntilDate, introduction, terms, lineItems } = proposal;
  const { date, money, time } = formatsOf(brand);
  const { currency, acceptedAt, acceptedBy } = proposal;
  const cells = (line: PublicProposalLine) =>
    markup`<td>${line.quantity} ${line.unit ?? '×'}</td><td>${line.description}${line.isOptional && markup` <small>optional</small>`}${taxOf(line)}</td><td>${money(line.totalMinor, currency)}</td>`;
  const sum = (label: string, minor: number) => markup`<tr><td>${label}</td><td>${money(minor, currency)}</td></tr>`;
  const isOpen = status === 'open' && action !== null;
  const choices = isOpen ? lineItems.map((line) => choiceOf(line, (minor) => money(minor, currency))) : [];
  return {
    title: `Proposal ${number}`,
    brand,
    body: markup`<p>${name}</p>
<dl>
<dt>Status</dt><dd>${STATES[status]}</dd>
<dt>Version</dt><dd>${versionNumber}</dd>
${validUntilDate && markup`<dt>Valid until</dt><dd>${date(validUntilDate)}</dd>`}
${acceptedAt && markup`<dt>Accepted</dt><dd>${time(acceptedAt)}, by ${acceptedBy}</dd>`}
</dl>
${introduction && paragraphs(introduction)}
<table class="amounts"><caption>${status === 'accepted' ? 'Accepted' : 'Offered'}${proposal.taxInclusive && ', prices with tax'}</caption>
<thead><tr><th scope="col">Quantity</th><th scope="col">Description</th><th scope="col">Amount</th></tr></thead>
<tbody>
${lineItems.map((line) => markup`<tr>${cells(line)}</tr>`)}
</tbody></table>
<table class="amounts sums"><caption>${status === 'accepted' ? 'Sums' : 'Sums of what is selected in advance'}</caption><tbody>
${sum('Net', proposal.netMinor)}
${sum('Total with tax', proposal.totalMinor)}
</tbody></table>
${terms && markup`<h2>Terms</h2>${paragraphs(terms)}`}
${
  isOpen &&
  markup`<h2>Accept</h2>
<form method="post" action="${action}/accept">
<input type="hidden" name="versionNumber" value="${versionNumber}">
${choices}
<label for="name">Your name</label>
<input id="name" name="name" required maxlength="200" autocomplete="name">
<label for="email">Your e-mail address (optional)</label>
<input id="email" name="email" type="email" maxlength="254" autocomplete="email">
<p class="hint">With your name you sign this proposal of ${brand.name}, its terms included. The sums follow from what you choose.</p>
<button>Accept</button>
</form>
<h2>Decline</h2>
<form method="post" action="${action}/decline">
<input type="hidden" name="versionNumber" value="${versionNumber}">
<label for="reason">Reason (optional)</label>
<textarea id="reason" name="reason" maxlength="2000"></textarea>
<button class="second">Decline</button>
</form>`
}`,
    formTargets: ["'self'"],
  };
}

function taxOf({ taxName, taxPercent }: PublicProposalLine) {
  return taxPercent !== null && markup`<br><small>${taxName ?? 'Tax'} ${taxPercent} %</small>`;
}

/** The field with which a customer chooses a line or its quantity; nothing for a line that is fixed. */
function choiceOf(line: PublicProposalLine, money: (minor: number) => string) {
  const { id, description, unit, unitPriceMinor, isOptional, isSelected, quantity, quantityChoices } = line;
  const field = `option-${id}`;
  if (quantityChoices.length === 0)
    return (
      isOptional &&
      markup`<label class="choice"><input type="checkbox" name="options" value="${id}"${isSelected && markup` checked`}>
<span>${description}, ${quantity} ${unit ?? '×'} ${money(unitPriceMinor)}</span></label>`
    );
  const chosen = (each: number) => isSelected && each === quantity && markup` selected`;
  return markup`<label for="${field}">${description}, each ${money(unitPriceMinor)}</label>
<select id="${field}" name="options">
${isOptional && markup`<option value="">not wanted</option>`}
${quantityChoices.map((each) => markup`<option value="${id}:${each}"${chosen(each)}>${each} ${unit ?? ''}</option>`)}
</select>`;
}
