import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { EmploymentType, HiringPlace } from '../talent.parts.js';

const ADVERTISED = `select j.id, j.name, j.employment_type as "employmentType", j.location, j.description,
    j.published_at as "publishedAt", d.name as department
  from data.talent_jobs j
  left join data.people_departments d on d.tenant_id = j.tenant_id and d.id = j.department_id and d.deleted_at is null
  where j.tenant_id = $1 and j.is_public and j.status = 'open' and j.deleted_at is null and j.archived_at is null`;
const ALL = `${ADVERTISED} order by j.published_at desc, j.id desc limit 1000`;
const ONE = `${ADVERTISED} and j.id = $2`;

/** What everybody may know of a job that is open and public. */
export interface AdvertisedJob {
  id: string;
  name: string;
  employmentType: EmploymentType;
  location: HiringPlace | null;
  department: string | null;
  description: string | null;
  publishedAt: string;
}

/** Jobs as the outside sees them. */
@Injectable()
export class AdvertisedJobsService {
  constructor(private readonly database: Database) {}

  /** The newest first. */
  all(): Promise<AdvertisedJob[]> {
    return this.database.read<AdvertisedJob>(statement(ALL, [currentTenant().id]));
  }

  /** Null for a job that is not advertised. */
  async find(id: string): Promise<AdvertisedJob | null> {
    const [job] = await this.database.read<AdvertisedJob>(statement(ONE, [currentTenant().id, id]));
    return job ?? null;
  }
}
