import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { ApplicationsService } from '#src/areas/talent/applications/applications.service.js';
import { CandidatesService } from '#src/areas/talent/candidates/candidates.service.js';
import { OffersService } from '#src/areas/talent/offers/offers.service.js';
import { type EmploymentType, type MappingValues, NO_VALUES } from './mapping-values.js';
import type { Plan } from './mapping-template.js';
import { filled, filledEmail } from './placeholders.js';
import type { MatchFacts } from './template-choice.js';

type RowOf<S extends { records: { readPlainly(id: string): Promise<unknown> } }> = Awaited<
  ReturnType<S['records']['readPlainly']>
>;
export type SourceCandidate = RowOf<CandidatesService>;

/** What a mapping starts from. */
export interface Sources {
  candidate: SourceCandidate;
  application: RowOf<ApplicationsService>;
  /** The accepted offer. */
  offer: RowOf<OffersService> | null;
  job: JobFacts;
}

interface JobFacts {
  departmentId: string | null;
  employmentType: EmploymentType | null;
  country: string | null;
}

const ACCEPTED = `select id from data.talent_offers where tenant_id = $1 and application_id = $2
  and status = 'accepted' and deleted_at is null order by created_at desc limit 1`;
const JOB = `select department_id as "departmentId", employment_type as "employmentType", location ->> 'country' as country
  from data.talent_jobs where tenant_id = $1 and id = $2`;
const NO_JOB: JobFacts = { departmentId: null, employmentType: null, country: null };

/** Reads the candidate, application, offer and job of a mapping, regardless of what the caller may see. */
@Injectable()
export class MappingSources {
  constructor(
    private readonly candidates: CandidatesService,
    private readonly applications: ApplicationsService,
    private readonly offers: OffersService,
    private readonly database: Database,
  ) {}

  /** @throws Problem 404 if candidate or application are in the trash. */
  async of({ candidateId, applicationId }: { candidateId: string; applicationId: string }): Promise<Sources> {
    const { id: tenantId } = currentTenant();
    const candidate = await this.candidates.records.readPlainly(candidateId);
    const application = await this.applications.records.readPlainly(applicationId);
    const [accepted] = await this.database.read<{ id: string }>(statement(ACCEPTED, [tenantId, applicationId]));
    const [job = NO_JOB] = await this.database.read<JobFacts>(statement(JOB, [tenantId, application.jobId]));
    const offer = accepted ? await this.offers.records.readPlainly(accepted.id) : null;
    return { candidate, application, offer, job };
  }
}

export function matchFactsOf({ candidate, application, offer, job }: Sources): MatchFacts {
  return {
    jobId: application.jobId,
    departmentId: application.departmentId ?? job.departmentId,
    employmentType: offer?.employmentType ?? job.employmentType,
    country: job.country ?? candidate.location?.country ?? null,
  };
}

/** The values that follow from hire, offer and job, then from the template. */
export function valuesFrom({ candidate, application, offer, job }: Sources, { defaults }: Plan): MappingValues {
  return {
    ...NO_VALUES,
    startDate: application.startDate ?? offer?.startDate ?? null,
    jobTitle: application.jobTitle ?? offer?.jobTitle ?? filled(defaults.jobTitle, candidate),
    departmentId: application.departmentId ?? job.departmentId ?? defaults.departmentId ?? null,
    managerId: application.managerId ?? defaults.managerId ?? null,
    employmentType: offer?.employmentType ?? job.employmentType ?? defaults.employmentType ?? null,
    workEmail: filledEmail(defaults.workEmail, candidate),
    roleIds: defaults.roleIds ?? [],
    workspaceIds: defaults.workspaceIds ?? [],
  };
}
