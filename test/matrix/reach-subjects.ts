import { DataSource } from 'typeorm';
import { operationPrefix, pathOf, type ResourceDefinition } from '#libs/resource/types/definition.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { uuidv7 } from '#libs/kernel/id.js';
import type { Answer, Client } from '../harness/client.js';
import type { TestTenant } from '../harness/platform.js';
import { createMember, defaultWorkspaceOf } from '../harness/tenants.js';
import { type Call, type Scene, workspace } from './fixture-parts.js';
import { callOf } from './fixtures.js';
import type { Operation } from './operations.js';
import { type Running, sceneOf, send } from './running.js';

/** Location of a record relative to a member of the workspace `here` and the default workspace only. */
export const PLACES = ['mine', 'here', 'nowhere', 'elsewhere'] as const;

export type Place = (typeof PLACES)[number];

/** Columns whose membership may see a record that the type conceals from all others. */
const ALSO_OWN: Record<string, string> = { 'talent.scorecard': 'interviewer_id' };

/** Role grants for all permissions of a type, and for reading only. */
export function permissionsOf({ permissions, lifecycle }: ResourceDefinition): string[] {
  return [
    ...new Set([permissions.read, permissions.write, ...Object.values(lifecycle.transitions).map((t) => t.permission)]),
  ];
}

/** A tenant with a member whose single role changes, and records of one type in each {@link Place}. */
export class ReachStage {
  readonly ids = {} as Record<Place, string>;
  here!: string;
  elsewhere!: string;
  member!: { id: string; api: Client };
  scene!: TestTenant & Scene;
  private role!: string;
  /** Requests of the fixtures, collected before the records exist, because some fixtures remove other records. */
  private readonly calls = new Map<string, Call>();

  private constructor(
    readonly platform: Running,
    readonly definition: ResourceDefinition,
  ) {}

  static async open(platform: Running, definition: ResourceDefinition): Promise<ReachStage> {
    const stage = new ReachStage(platform, definition);
    const tenant = await platform.tenant();
    stage.scene = sceneOf(platform, tenant, 'reached');
    stage.here = await workspace({ ...stage.scene, label: 'here' });
    stage.elsewhere = await workspace({ ...stage.scene, label: 'elsewhere' });
    await stage.makeMember(tenant);
    for (const operation of stage.onRecords()) stage.calls.set(operation.id, await callOf(operation, stage.scene));
    for (const place of PLACES) stage.ids[place] = await stage.makeAt(place);
    return stage;
  }

  get path(): string {
    return pathOf(this.definition);
  }

  operation(verb: string): Operation | undefined {
    const id = `${operationPrefix(this.definition)}.${verb}`;
    return this.platform.operations.find((each) => each.id === id && !each.alias);
  }

  /** Changes the permissions of the member's role. */
  async hold(permissions: readonly string[]): Promise<void> {
    await this.platform.admin.query(`update data.roles set permissions = $3 where tenant_id = $1 and id = $2`, [
      this.scene.tenantId,
      this.role,
      permissions,
    ]);
  }

  /** Grants an exception to the member. */
  async except(
    effect: 'allow' | 'deny',
    level: string,
    target: { id: string } | { workspaceId: string },
  ): Promise<void> {
    await this.platform.admin.query(
      `insert into data.resource_grants (tenant_id, id, object, object_id, workspace_id, principal_type, principal_id, level,
         effect, granted_by, created_at, updated_at)
       values ($1, $2, $3, $4, $5, 'membership', $6, $7, $8, '{}', now(), now())`,
      [
        this.scene.tenantId,
        uuidv7(),
        this.definition.type,
        'id' in target ? target.id : null,
        'workspaceId' in target ? target.workspaceId : null,
        this.member.id,
        level,
        effect,
      ],
    );
  }

  async withoutExceptions(): Promise<void> {
    await this.platform.admin.query(`delete from data.resource_grants where tenant_id = $1`, [this.scene.tenantId]);
  }

  /** The places whose records appear in the member's list. */
  async listed(): Promise<Place[]> {
    const { status, body } = await this.member.api.get<{ data: { id: string }[] }>(
      `${this.path}?ids=${Object.values(this.ids).join(',')}&limit=200`,
    );
    if (status !== 200) return [];
    const found = new Set(body.data.map(({ id }) => id));
    return PLACES.filter((place) => found.has(this.ids[place]));
  }

  /** The places whose records the member can read individually. */
  async readable(): Promise<Place[]> {
    const found: Place[] = [];
    for (const place of PLACES) {
      const { status } = await this.member.api.get(`${this.path}/${this.ids[place]}`);
      if (status === 200) found.push(place);
      else expect([403, 404]).toContain(status);
    }
    return found;
  }

  /** The member's call of an operation, built by its fixture, on the record of a place. */
  async call(operation: Operation, place: Place): Promise<Answer> {
    const call = this.calls.get(operation.id)!;
    return send(this.member.api, operation, { ...call, path: { ...call.path, id: this.ids[place] } });
  }

  /** The member's attempt to create a record as in the fixture, with further members. */
  async make(more: object): Promise<Answer> {
    const { body } = await callOf(this.operation('create')!, this.scene);
    const column = ALSO_OWN[this.definition.type];
    const own = column ? { [column.replace(/_id$/, 'Id')]: this.member.id } : {};
    return this.member.api.post(this.path, { ...body, ...own, ...more });
  }

  private onRecords(): Operation[] {
    const actions = ['update', 'delete', ...Object.keys(this.definition.lifecycle.transitions)];
    return actions.map((action) => this.operation(action)).filter((operation) => operation !== undefined);
  }

  /** Creates a record with its fixture and moves it to a place. */
  private async makeAt(place: Place): Promise<string> {
    const { path } = await callOf(this.operation('get')!, this.scene);
    const id = path!['id']!;
    const { tablePath } = this.platform.app.get(DataSource).getMetadata(this.definition.entity);
    const workspaceId = { mine: this.elsewhere, here: this.here, nowhere: null, elsewhere: this.elsewhere }[place];
    await this.platform.admin.query(
      `update ${tablePath} set workspace_id = $3, owner_id = $4, version = version + 1 where tenant_id = $1 and id = $2`,
      [this.scene.tenantId, id, workspaceId, place === 'mine' ? this.member.id : null],
    );
    const column = ALSO_OWN[this.definition.type];
    if (column && place === 'mine')
      await this.platform.admin.query(`update ${tablePath} set ${column} = $2, version = version + 1 where id = $1`, [
        id,
        this.member.id,
      ]);
    return id;
  }

  private async makeMember(tenant: TestTenant): Promise<void> {
    const { admin } = this.platform;
    this.role = uuidv7();
    await admin.query(
      `insert into data.roles (tenant_id, id, key, name, permissions, created_at, updated_at)
       values ($1, $2, 'reaching', 'Reaching', '{}', now(), now())`,
      [tenant.id, this.role],
    );
    const workspaces = { [this.here]: 'member', [await defaultWorkspaceOf(admin, tenant.id)]: 'member' } as const;
    const id = await createMember(admin, tenant.id, 'Reaching', { roles: [this.role], workspaces });
    this.member = { id, api: await this.platform.key(tenant, ['*'], { memberId: id }) };
  }
}

/** All record types. */
export function subjectsOf(platform: Running): ResourceDefinition[] {
  return platform.app.get(ResourceRegistry).all();
}
