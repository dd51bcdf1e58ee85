import type { Page } from '#libs/http/page.js';
import type { Brand } from '#libs/http/pages/brand.js';
import { formatsOf } from '#libs/http/pages/formats.js';
import { markup, paragraphs } from '#libs/http/pages/markup.js';
import type { PublicMilestone } from './public-milestone.dto.js';

/**
 * A milestone for a customer who opens the link in a browser, with the form to accept it.
 * @param action address of the form; null where nothing is to be accepted
 */
export function milestonePage(
  milestone: PublicMilestone,
  { brand, action }: { brand: Brand; action: string | null },
): Page {
  const { name, description, projectName, dueDate, reachedAt, amountMinor, currency, acceptedAt, acceptedBy } =
    milestone;
  const { date, time, money } = formatsOf(brand);
  const accepted = acceptedAt && (acceptedBy ? `${time(acceptedAt)}, by ${acceptedBy}` : time(acceptedAt));
  return {
    title: name,
    brand,
    body: markup`<dl>
<dt>Project</dt><dd>${projectName}</dd>
${dueDate && markup`<dt>Due</dt><dd>${date(dueDate)}</dd>`}
<dt>Reached</dt><dd>${time(reachedAt)}</dd>
${amountMinor !== null && currency && markup`<dt>Amount</dt><dd>${money(amountMinor, currency)}</dd>`}
${accepted && markup`<dt>Accepted</dt><dd>${accepted}</dd>`}
</dl>
${description && paragraphs(description)}
${
  action !== null &&
  milestone.status === 'reached' &&
  markup`<form method="post" action="${action}">
<label for="name">Your name</label>
<input id="name" name="name" required maxlength="200" autocomplete="name">
<p class="hint">By accepting you confirm to ${brand.name} that the milestone was reached as agreed.</p>
<button>Accept</button>
</form>`
}`,
    formTargets: ["'self'"],
  };
}
