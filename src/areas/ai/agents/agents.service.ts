import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Change, Decisions, Gating, Input } from '#libs/resource/types/decisions.js';
import { toListRequest } from '#libs/resource/lists/list-query.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { Records } from '#libs/resource/records/records.js';
import { mustExist } from '#libs/resource/access/references.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { versionOfPath } from '../version-number.js';
import { type Agent, agents, type ShownAgent } from './agent.js';
import { holdsWrites, refuseMoreThan } from './agent.grants.js';
import type { AgentAction } from './agent.lifecycle.js';
import { NO_LIMITS, NO_PARAMETERS, WHOLE_TENANT } from './agent.parts.js';
import { AgentStatsReader } from './agent-stats.js';
import type { AgentVersion } from './agent-version.entity.js';
import type { AgentVersionView } from './agent-version.js';
import { agentVersionList, AgentVersionsRepository } from './agent-versions.repository.js';

/** A change of one of these creates a new version. */
const VERSIONED = ['instructions', 'provider', 'model', 'parameters', 'tools', 'grants'] as const;
/** A change of one of these requires all permissions of the agent. */
const ACCOUNTABLE = [...VERSIONED, 'dataScope', 'autonomy', 'limits'];
const WORKSPACES = { table: 'data.workspaces', where: 'true' };

/** AI agents: their instructions and limits. */
@Injectable()
export class AgentsService implements Decisions<Agent, ShownAgent, AgentAction> {
  readonly records: Records<Agent, ShownAgent, AgentAction>;

  readonly gating: Gating<Agent, AgentAction> = {
    applies: ({ autonomy, grants }) => autonomy === 'auto' || holdsWrites(grants),
  };

  constructor(
    kit: ResourceKit,
    private readonly versions: AgentVersionsRepository,
    private readonly stats: AgentStatsReader,
  ) {
    this.records = Records.of(agents, kit, this);
  }

  /** The versions of an agent. @throws Problem 404. */
  async listVersions(id: string, query: Input): Promise<Page<AgentVersionView>> {
    await this.records.read(id);
    const { data, page } = await this.versions.pageOfAgent(id, toListRequest(agentVersionList, query));
    return { data: data.map(shown), page };
  }

  /** One version of an agent. @throws Problem 404. */
  async getVersion(id: string, n: string): Promise<AgentVersionView> {
    await this.records.read(id);
    const number = versionOfPath(n);
    const version = number === null ? null : await this.versions.findOfAgent(id, number);
    if (!version) throw Problem.notFound();
    return shown(version);
  }

  draft(input: Partial<Agent>): Draft<Agent> {
    const { parameters, dataScope, limits, grants = [] } = input;
    refuseMoreThan(currentPrincipal().permissions, grants);
    return {
      ...(input as Draft<Agent>), // its members are columns
      parameters: { ...NO_PARAMETERS, ...parameters },
      dataScope: { ...WHOLE_TENANT, ...dataScope },
      limits: { ...NO_LIMITS, ...limits },
    };
  }

  edit(row: Agent, patch: Partial<Agent>): Partial<Agent> {
    if (row.status === 'retired') throw new Problem('record_locked', 'A retired agent stays as it is.');
    if (ACCOUNTABLE.some((field) => field in patch))
      refuseMoreThan(currentPrincipal().permissions, patch.grants ?? row.grants);
    const changes = {
      ...patch,
      ...(patch.parameters ? { parameters: { ...row.parameters, ...patch.parameters } } : {}),
      ...(patch.dataScope ? { dataScope: { ...row.dataScope, ...patch.dataScope } } : {}),
      ...(patch.limits ? { limits: { ...row.limits, ...patch.limits } } : {}),
    };
    const after = { ...row, ...changes };
    const isNew = VERSIONED.some((field) => !isDeepStrictEqual(after[field], row[field]));
    return isNew ? { ...changes, agentVersion: row.agentVersion + 1 } : changes;
  }

  derive(): Partial<ShownAgent> {
    return { stats: null };
  }

  async detail(view: ShownAgent, { id }: Agent): Promise<ShownAgent> {
    return { ...view, stats: await this.stats.of(id) };
  }

  /** The workspaces of its scope must exist, and the version must be stored before the agent that refers to it. */
  checks(after: Agent, before: Agent | null): Statement[] {
    const { workspaceIds } = after.dataScope;
    const isElsewhere = !isDeepStrictEqual(after.dataScope, before?.dataScope) && workspaceIds.length > 0;
    return [
      ...(isElsewhere ? [mustExist(WORKSPACES, '/dataScope/workspaceIds', [...workspaceIds])] : []),
      ...(before && after.agentVersion !== before.agentVersion ? [this.insertVersion(after)] : []),
    ];
  }

  /** The first version refers to the agent, which must be stored first. */
  saved(transaction: Transaction, { before, after }: Change<Agent>): void {
    if (!before) transaction.write(this.insertVersion(after));
  }

  /** The gate applies only to agents that can change records or act without approval. */
  private insertVersion(row: Agent): Statement {
    const { tenantId, id: agentId, agentVersion, instructions, provider, model, parameters, tools, grants } = row;
    const own = { agentVersion, instructions, provider, model, parameters, tools, grants };
    const made = { createdAt: this.records.rows.now(), createdBy: currentScope().actor };
    return this.versions.insert({ tenantId, id: uuidv7(), agentId, ...own, ...made });
  }
}

function shown({ tenantId: _, ...view }: AgentVersion): AgentVersionView {
  return view;
}
