import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { toListRequest } from '#libs/resource/list-query.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { mustExist } from '#libs/resource/references.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Page } from '#libs/resource/resource.repository.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { agentVersionList, AgentVersionsRepository } from './agent-versions.repository.js';
import type { AgentVersion } from './agent-version.entity.js';
import type { AgentVersionView, AgentView, CreateAgent } from './agent.dto.js';
import type { Agent } from './agent.entity.js';
import { holdsWrites, refuseMoreThan } from './agent.grants.js';
import type { AgentAction } from './agent.lifecycle.js';
import { NO_LIMITS, NO_PARAMETERS, WHOLE_TENANT } from './agent.parts.js';
import { agentResource } from './agent.resource.js';
import { AgentStatsReader } from './agent-stats.js';
import { AgentsRepository } from './agents.repository.js';

type Input = Record<string, unknown>;

/** A change of one of these makes a new version. */
const VERSIONED = ['instructions', 'provider', 'model', 'parameters', 'tools', 'grants'] as const;
/** Whoever changes one of these answers for everything that the agent may do. */
const ACCOUNTABLE = [...VERSIONED, 'dataScope', 'autonomy', 'limits'];
const WORKSPACES = { table: 'data.workspaces', where: 'true' };

/** AI agents: what they are told and what they may do. */
@Injectable()
export class AgentsService extends ResourceService<Agent, AgentView, AgentAction> {
  constructor(
    kit: ResourceKit,
    repository: AgentsRepository,
    private readonly versions: AgentVersionsRepository,
    private readonly stats: AgentStatsReader,
  ) {
    super(agentResource, kit, repository);
  }

  override async get(id: string): Promise<AgentView> {
    const shown = await super.get(id);
    return { ...shown, stats: await this.stats.of(id) };
  }

  /** The versions of an agent. @throws Problem 404. */
  async listVersions(id: string, query: Input): Promise<Page<AgentVersionView>> {
    await this.read(id);
    const { data, page } = await this.versions.pageOfAgent(id, toListRequest(agentVersionList, query));
    return { data: data.map(present), page };
  }

  /** One version of an agent. @throws Problem 404. */
  async getVersion(id: string, n: string): Promise<AgentVersionView> {
    await this.read(id);
    const version = /^[1-9]\d{0,8}$/.test(n) ? await this.versions.findOfAgent(id, Number(n)) : null;
    if (!version) throw Problem.notFound();
    return present(version);
  }

  protected override async draft(input: Input): Promise<Draft<Agent>> {
    const { parameters, dataScope, limits, grants = [] } = input as unknown as CreateAgent; // validated against it
    refuseMoreThan(currentPrincipal().permissions, grants);
    return {
      ...input,
      parameters: { ...NO_PARAMETERS, ...parameters },
      dataScope: { ...WHOLE_TENANT, ...dataScope },
      limits: { ...NO_LIMITS, ...limits },
    } as unknown as Draft<Agent>; // its other members are columns
  }

  protected override derive(): Partial<AgentView> {
    return { stats: null };
  }

  protected override edit(row: Agent, body: Input): Partial<Agent> {
    const patch = body as Partial<CreateAgent>;
    if (row.status === 'retired') throw new Problem('record_locked', 'A retired agent stays as it is.');
    if (ACCOUNTABLE.some((field) => field in patch))
      refuseMoreThan(currentPrincipal().permissions, patch.grants ?? row.grants);
    return {
      ...patch,
      ...(patch.parameters ? { parameters: { ...row.parameters, ...patch.parameters } } : {}),
      ...(patch.dataScope ? { dataScope: { ...row.dataScope, ...patch.dataScope } } : {}),
      ...(patch.limits ? { limits: { ...row.limits, ...patch.limits } } : {}),
    };
  }

  protected override add(transaction: Transaction, row: Agent): AgentView {
    this.expectWorkspaces(transaction, row);
    const shown = super.add(transaction, row);
    transaction.write(this.versions.insert(this.versionOf(row)));
    return shown;
  }

  protected override apply(
    transaction: Transaction,
    row: Agent,
    changes: Partial<Agent>,
    ...rest: [event: string, why?: object]
  ): AgentView {
    const after = { ...row, ...changes };
    if (!isDeepStrictEqual(after.dataScope, row.dataScope)) this.expectWorkspaces(transaction, after);
    if (VERSIONED.every((field) => isDeepStrictEqual(after[field], row[field])))
      return super.apply(transaction, row, changes, ...rest);
    const agentVersion = row.agentVersion + 1;
    transaction.write(this.versions.insert(this.versionOf({ ...after, agentVersion }))); // first: the agent's row needs it
    return super.apply(transaction, row, { ...changes, agentVersion }, ...rest);
  }

  /** The gate is about agents that can change something, or need nobody's consent; others pass it. */
  protected override isGated({ autonomy, grants }: Agent): boolean {
    return autonomy === 'auto' || holdsWrites(grants);
  }

  private expectWorkspaces(transaction: Transaction, { dataScope: { workspaceIds } }: Agent): void {
    if (workspaceIds.length > 0) transaction.write(mustExist(WORKSPACES, '/dataScope/workspaceIds', [...workspaceIds]));
  }

  private versionOf(row: Agent): AgentVersion {
    const { tenantId, id: agentId, agentVersion, instructions, provider, model, parameters, tools, grants } = row;
    const own = { agentVersion, instructions, provider, model, parameters, tools, grants };
    return { tenantId, id: uuidv7(), agentId, ...own, createdAt: this.now(), createdBy: currentScope().actor };
  }
}

function present({ tenantId: _, ...view }: AgentVersion): AgentVersionView {
  return view;
}
