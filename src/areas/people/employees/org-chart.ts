import { Injectable } from '@nestjs/common';
import { guarded } from '#libs/access/guard.js';
import { limitsOf } from '#libs/access/limits.js';
import { Database } from '#libs/database/database.js';
import { anyObject, Field, flag, id, integer, listOf, name, nested, text } from '#libs/http/field.js';
import { onePage } from '#libs/resource/lists/page-of-all.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { ONE_PAGE, PageInfo } from '#libs/resource/types/record.dto.js';
import { employees } from './employee.js';

const DEFAULT_DEPTH = 3;
const MAX_DEPTH = 10;
/** Maximum number of employees per response. */
const MAX_PEOPLE = 2_000;

const CHART = `
  with recursive chart as (
    select e.id, e.name, e.job_title, e.department_id, e.manager_id, 1 as depth
    from data.people_employees e
    where e.tenant_id = $1 and e.status <> 'terminated' and e.deleted_at is null
      and case when $2::uuid is null then e.manager_id is null else e.id = $2 end
    union all
    select e.id, e.name, e.job_title, e.department_id, e.manager_id, chart.depth + 1
    from data.people_employees e join chart on chart.id = e.manager_id
    where e.tenant_id = $1 and e.status <> 'terminated' and e.deleted_at is null and chart.depth <= $3)
  select c.id, c.name, c.job_title as "jobTitle", c.department_id as "departmentId", c.manager_id as "managerId", c.depth
  from chart c join data.people_employees t on t.tenant_id = $1 and t.id = c.id where true`;
const IN_ORDER = ` order by c.depth, c.name, c.id limit $4`;

export class OrgChartQuery {
  @Field(id(), {
    description: 'Employee at the top of the chart; by default everyone without a manager.',
    optional: true,
  })
  rootId?: string;

  @Field(integer({ min: 1, max: MAX_DEPTH }), {
    description: `Number of levels to show, including the first one; ${DEFAULT_DEPTH} by default.`,
    optional: true,
  })
  depth?: number;
}

/** One employee in the chart. */
export class OrgChartNode {
  @Field(id(), { description: 'Id of the employee.' })
  id!: string;

  @Field(name(), { description: 'Name of the employee.', example: 'Ada Okafor' })
  name!: string;

  @Field(text({ max: 200 }), { description: 'Job title.', nullable: true, example: 'Engineer' })
  jobTitle!: string | null;

  @Field(id(), { description: 'Department.', nullable: true })
  departmentId!: string | null;

  @Field(id(), { description: 'Employee that this one reports to.', nullable: true })
  managerId!: string | null;

  @Field(integer({ min: 0, max: MAX_PEOPLE }), { description: 'Number of direct reports.', example: 0 })
  reportCount!: number;

  @Field(anyObject({ type: 'array', items: { type: 'object', additionalProperties: true } }), {
    description: 'Direct reports as further nodes; empty on the last level.',
    example: [],
  })
  reports!: OrgChartNode[];
}

export class OrgChartView {
  @Field(listOf(nested(OrgChartNode), { max: MAX_PEOPLE }), {
    description: 'Employees at the top of the chart, by name.',
  })
  data!: OrgChartNode[];

  @Field(nested(PageInfo), ONE_PAGE)
  page!: PageInfo;

  @Field(flag(), {
    description: `Whether people are left out because there are more than ${MAX_PEOPLE}.`,
    example: false,
  })
  isTruncated!: boolean;
}

type Person = Omit<OrgChartNode, 'reportCount' | 'reports'> & { depth: number };

/**
 * Reporting lines as a tree of live employees. If a manager is not visible to the caller, their reports become roots.
 */
@Injectable()
export class OrgChart {
  constructor(private readonly database: Database) {}

  /** The chart below a root; empty for an unknown root. */
  async read({ rootId, depth = DEFAULT_DEPTH }: OrgChartQuery): Promise<OrgChartView> {
    const values = [currentTenant().id, rootId ?? null, depth, MAX_PEOPLE + 1];
    const visible = limitsOf(employees, employees.permissions.read);
    const people = await this.database.read<Person>(guarded(CHART, values, visible, IN_ORDER));
    const nodes = new Map<string, OrgChartNode>();
    const data: OrgChartNode[] = [];
    for (const { depth: level, ...person } of people.slice(0, MAX_PEOPLE)) {
      const above = level === 1 ? undefined : nodes.get(person.managerId!);
      if (above) above.reportCount++;
      if (level > depth) continue; // counted only
      const node: OrgChartNode = { ...person, reportCount: 0, reports: [] };
      nodes.set(node.id, node);
      (above?.reports ?? data).push(node);
    }
    return { ...onePage(data), isTruncated: people.length > MAX_PEOPLE };
  }
}
