import type { Page as HtmlPage } from '#libs/http/page.js';
import type { Brand } from '#libs/http/pages/brand.js';
import { formatsOf } from '#libs/http/pages/formats.js';
import { markup, paragraphs } from '#libs/http/pages/markup.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import type { PublicJob, ShownJobDetails } from './careers.dto.js';

const KINDS: Record<string, string> = {
  full_time: 'Full time',
  part_time: 'Part time',
  contractor: 'Contract',
  intern: 'Internship',
  temporary: 'Temporary',
};

/** The public jobs of a tenant. */
export function careersPage(
  { data, page }: Page<PublicJob>,
  { slug, brand }: { slug: string; brand: Brand },
): HtmlPage {
  const here = encodeURIComponent(slug);
  const entry = (job: PublicJob) =>
    markup`<h2><a href="${here}/jobs/${job.id}">${job.name}</a></h2><p class="hint">${factsOf(job)}</p>`;
  const more =
    page.nextCursor &&
    markup`<p><a href="${here}?${new URLSearchParams({ cursor: page.nextCursor }).toString()}">More jobs</a></p>`;
  return {
    title: `Jobs at ${brand.name}`,
    brand,
    body: data.length === 0 ? markup`<p>There are no open jobs at the moment.</p>` : markup`${data.map(entry)}${more}`,
    isForEverybody: true,
  };
}

/** A job with the form to apply. */
export function jobPage(job: ShownJobDetails, { slug, brand }: { slug: string; brand: Brand }): HtmlPage {
  const { description, application, publishedAt } = job;
  const date = formatsOf(brand).date(publishedAt.slice(0, 10));
  return {
    title: job.name,
    brand,
    body: markup`<p class="hint">${factsOf(job)} · Published ${date}</p>
${description && paragraphs(description)}
<h2>Apply</h2>
<form method="post" action="${job.id}/apply">
<input type="hidden" name="challenge" value="${application.challenge}">
<label for="name">Full name</label>
<input id="name" name="name" required maxlength="200" autocomplete="name">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" required maxlength="254" autocomplete="email">
<label for="phone">Telephone (optional)</label>
<input id="phone" name="phone" type="tel" maxlength="40" autocomplete="tel">
<label for="link">Link to a profile or work sample (optional)</label>
<input id="link" name="link" type="url" maxlength="500" placeholder="https://">
<label for="coverLetter">Cover letter (optional)</label>
<textarea id="coverLetter" name="coverLetter" maxlength="20000"></textarea>
<div class="away" aria-hidden="true"><label for="website">Leave this empty</label>
<input id="website" name="website" tabindex="-1" autocomplete="off"></div>
<label class="choice"><input type="checkbox" name="consent" value="true" required>
<span>${application.consentText}</span></label>
<button>Send application</button>
</form>
<p><a href="../../${encodeURIComponent(slug)}">All jobs at ${brand.name}</a></p>`,
    formTargets: ["'self'"],
    isForEverybody: true,
  };
}

/** What whoever has applied sees. */
export function receivedPage(job: PublicJob, { slug, brand }: { slug: string; brand: Brand }): HtmlPage {
  return {
    title: 'Thank you',
    brand,
    body: markup`<p>${brand.name} has received your application: ${job.name}.</p>
<p><a href="../../../${encodeURIComponent(slug)}">All jobs at ${brand.name}</a></p>`,
  };
}

function factsOf({ employmentType, location, department }: PublicJob): string {
  const { city = null, region = null, country = null, remote = null } = location ?? {};
  const place = [city, region, country].filter(Boolean).join(', ');
  return [department, KINDS[employmentType], place, remote ? 'Remote' : null].filter(Boolean).join(' · ');
}
