import { Inject, Injectable } from '@nestjs/common';
import { type Answered, Challenges } from '#libs/http/challenges.js';
import type { Brand } from '#libs/http/pages/brand.js';
import { PublicUrl } from '#libs/http/public-url.js';
import { addressKey } from '#libs/http/rate-limit/address-key.js';
import { RATE_LIMITER } from '#libs/http/rate-limit/rate-limit.storage.js';
import { tooMany } from '#libs/http/rate-limit/too-many.js';
import type { RateLimiter } from '#libs/http/rate-limit/verdict.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { HOUR_MS } from '#libs/kernel/durations.js';
import { fold } from '#libs/kernel/fold.js';
import { Problem } from '#libs/kernel/problem.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import type { PageQuery } from '#libs/resource/lists/page-query.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { JobApplicantsService } from '#src/areas/talent/candidates/job-applicants.service.js';
import { type AdvertisedJob, AdvertisedJobsService } from '#src/areas/talent/jobs/advertised-jobs.service.js';
import { type PublicTenantFacts, TenantPages } from '../tenant-pages.service.js';
import type { JobApplication, PublicJob, ShownJobDetails } from './careers.dto.js';

const ACCESS = { actor: 'careers page', feature: 'talent' } as const;
/** Applications of an address in an hour: with proof of work, and by the form alone. A whole school can share an address. */
const PROVEN_PER_HOUR = 60;
const PLAIN_PER_HOUR = 20;
/** Nobody fills in the form faster. */
const FASTEST_MS = 3_000;

/** What is shown, and in whose look. */
export interface Shown<T> {
  shown: T;
  brand: Brand;
}

/** The public jobs of a tenant, and applications for them. */
@Injectable()
export class CareersService {
  constructor(
    private readonly pages: TenantPages,
    private readonly jobs: AdvertisedJobsService,
    private readonly applicants: JobApplicantsService,
    private readonly challenges: Challenges,
    private readonly settings: TenantSettings,
    private readonly cursors: Cursors,
    private readonly url: PublicUrl,
    @Inject(RATE_LIMITER) private readonly limiter: RateLimiter,
  ) {}

  /** @throws Problem 400 `cursor_invalid`, 404, 429. */
  list(slug: string, query: PageQuery): Promise<Shown<Page<PublicJob>>> {
    return this.pages.of(slug, ACCESS, async (tenant, brand) => {
      const all = (await this.jobs.all()).map((job) => this.shortly(tenant, job));
      return { shown: pageOfAll(all, query, this.cursors, ['careers']), brand };
    });
  }

  /** @throws Problem 404, 429. */
  read(slug: string, jobId: string): Promise<Shown<ShownJobDetails>> {
    return this.pages.of(slug, ACCESS, async (tenant, brand) => {
      const job = await this.advertised(jobId);
      const { talent } = await this.settings.get();
      const consentText = `I agree that ${brand.name} keeps the data of my application for up to ${talent.consentMonths} months.`;
      const application = { consentText, ...this.challenges.make(purposeOf(tenant, jobId)) };
      return { shown: { ...this.shortly(tenant, job), description: job.description, application }, brand };
    });
  }

  /**
   * Applies for a job. What is answered does not depend on whether the address is known.
   * @param isForm whether the form of the page was sent: it needs no proof of work, but time
   * @throws Problem 400, 404, 429.
   */
  apply(
    slug: string,
    jobId: string,
    { application, isForm }: { application: JobApplication; isForm: boolean },
  ): Promise<Shown<PublicJob>> {
    return this.pages.of(slug, ACCESS, async (tenant, brand) => {
      const job = await this.advertised(jobId);
      const { challenge, nonce = null, consent, website, email, name, phone, link, coverLetter = null } = application;
      const answered = this.challenges.read(challenge, nonce, purposeOf(tenant, jobId));
      requireConsent(consent);
      requireEffort(answered, isForm);
      await this.limit(answered);
      const shown = { shown: this.shortly(tenant, job), brand };
      if (website !== undefined) return shown; // filled in by a robot
      const applicant = { name, email, coverLetter, phones: phone ? [phone] : [], links: link ? [link] : [] };
      await this.applicants
        .apply(jobId, applicant, (transaction) => this.challenges.spend(transaction, answered, fold(email)))
        .catch(endedMeanwhile);
      return shown;
    });
  }

  private async advertised(id: string): Promise<AdvertisedJob> {
    const job = await this.jobs.find(id);
    if (!job) throw notAdvertised();
    return job;
  }

  private async limit({ isProven }: Answered): Promise<void> {
    const most = isProven ? PROVEN_PER_HOUR : PLAIN_PER_HOUR;
    const verdict = await this.limiter.hit('application', addressKey(currentScope().clientIp ?? ''), most, HOUR_MS);
    if (!verdict.allowed) throw tooMany(verdict, 'Too many applications from this address.');
  }

  private shortly({ slug }: PublicTenantFacts, job: AdvertisedJob): PublicJob {
    const { id, name, employmentType, location, department, publishedAt } = job;
    const url = this.url.to(`/api/public/careers/${slug}/jobs/${id}`);
    return { id, name, employmentType, location, department, publishedAt, url };
  }
}

const purposeOf = ({ id }: PublicTenantFacts, jobId: string): string => `application ${id} ${jobId}`;

const notAdvertised = () => new Problem('not_found', 'There is no such page.');

function requireConsent(consent: boolean): void {
  if (!consent)
    throw Problem.validation([
      { pointer: '/consent', code: 'invalid_value', detail: 'Without consent the application cannot be kept.' },
    ]);
}

/** Programs prove work; the form takes people some time. */
function requireEffort({ isProven, ageMs }: Answered, isForm: boolean): void {
  if (isProven) return;
  if (!isForm) throw Problem.validation([{ pointer: '/nonce', code: 'required', detail: 'Send a proof of work.' }]);
  if (ageMs < FASTEST_MS)
    throw Problem.validation([
      { pointer: '/challenge', code: 'too_early', detail: 'That was fast. Go back, wait a moment, and send it again.' },
    ]);
}

function endedMeanwhile(error: unknown): never {
  throw error instanceof Problem && error.code === 'job_not_open' ? notAdvertised() : error;
}
