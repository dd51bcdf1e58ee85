import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { id, instant } from '#libs/http/field.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { filter, listQuery, type ListOptions, type ListRequest } from '#libs/resource/lists/list-query.js';
import { type Page, ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { versionNumber } from '../version-number.js';
import { PromptVersion } from './prompt-version.entity.js';

/** Options of the list of versions. */
export const promptVersionList: ListOptions = {
  filters: { promptVersion: filter.ordered(versionNumber()), createdAt: filter.ordered(instant()) },
  sorts: ['promptVersion'],
  defaultSort: '-promptVersion',
};
export const PromptVersionQuery = listQuery('PromptVersionQuery', promptVersionList);

const OF_ONE_PROMPT: ListOptions = {
  ...promptVersionList,
  filters: { ...promptVersionList.filters, promptId: filter.exact(id()) },
};
const ONE = `select id from data.ai_prompt_versions where tenant_id = $1 and prompt_id = $2 and prompt_version = $3`;
const USES = `select prompt_version as version, count(*)::integer as jobs from data.ai_prompt_uses
  where tenant_id = $1 and prompt_id = $2 and prompt_version = any($3) group by prompt_version`;
const USE = `insert into data.ai_prompt_uses (tenant_id, job_id, prompt_id, prompt_version) values ($1, $2, $3, $4)`;

@Injectable()
export class PromptVersionsRepository extends ResourceRepository<PromptVersion> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, PromptVersion);
  }

  /** One page of the versions of a prompt, in the requested order. */
  pageOfPrompt(promptId: string, request: ListRequest): Promise<Page<PromptVersion>> {
    const own = { field: 'promptId', operator: 'eq', value: promptId } as const;
    return this.page({ ...request, filters: [own, ...request.filters] }, OF_ONE_PROMPT);
  }

  /** A version of a prompt by its number; null if it does not exist. */
  async findOfPrompt(promptId: string, version: number): Promise<PromptVersion | null> {
    const query = statement(ONE, [currentTenant().id, promptId, version]);
    const [row] = await this.database.read<{ id: string }>(query);
    return row ? this.find(row.id) : null;
  }

  /** How many jobs used each version of a prompt; unused versions are missing. */
  async uses(promptId: string, versions: readonly number[]): Promise<Map<number, number>> {
    const query = statement(USES, [currentTenant().id, promptId, versions]);
    const rows = await this.database.read<{ version: number; jobs: number }>(query);
    return new Map(rows.map(({ version, jobs }) => [version, jobs]));
  }

  /** Statement that records which version a job used. */
  use(jobId: string, promptId: string, version: number): Statement {
    return statement(USE, [currentTenant().id, jobId, promptId, version]);
  }
}
