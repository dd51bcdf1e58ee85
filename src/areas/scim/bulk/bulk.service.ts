import { Injectable, Logger } from '@nestjs/common';
import { cut } from '#libs/kernel/cut.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Resource } from '#libs/scim-language/resource.js';
import { invalidValue, ScimError, type ScimErrorBody } from '#libs/scim-language/scim-error.js';
import { URN } from '#libs/scim-language/urn.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { GroupsService } from '../groups/groups.service.js';
import { noteForLog } from '../log/scim-notes.js';
import { headersOf } from '../scim-headers.js';
import { ScimLocations } from '../scim-locations.service.js';
import { SCIM } from '../scim.dialect.js';
import { UsersService } from '../users/users.service.js';
import { type BulkOperation, readBulkRequest, referencesOf, resolved, type Target, targetOf } from './bulk-request.js';

const NOTHING = {};

/** Result of one operation. */
interface Outcome {
  method: string;
  bulkId?: string;
  version?: string;
  location?: string;
  status: string;
  response?: object;
}

/** Progress of an operation; `id` is null if it has failed. */
type State = 'running' | { id: string | null };

/** Many changes in one request, each in its own transaction. */
@Injectable()
export class BulkService {
  private readonly logger = new Logger('scim');

  constructor(
    private readonly users: UsersService,
    private readonly groups: GroupsService,
    private readonly locations: ScimLocations,
  ) {}

  /**
   * Runs the operations in order, except that referenced operations run first.
   * @throws ScimError `invalidSyntax`, 413; errors of single operations are in the response.
   */
  async run(body: unknown): Promise<object> {
    const { operations, failOnErrors } = readBulkRequest(body);
    const scope = currentScope();
    // The response is complete only after all transactions, so none of them can store it for an idempotency key.
    scope.completion = null;
    const { ifMatch } = scope;
    try {
      const outcomes = await new BulkRun(operations, failOnErrors, (operation) => this.take(operation)).finish();
      return { schemas: [URN.bulkResponse], Operations: outcomes };
    } finally {
      scope.ifMatch = ifMatch;
    }
  }

  private async take(operation: BulkOperation): Promise<Outcome & { id: string | null }> {
    const { method, bulkId, version } = operation;
    const own = { method, ...(bulkId === null ? {} : { bulkId }) };
    let location: string | undefined;
    try {
      const target = targetOf(operation);
      if (target.id !== null) location = this.locations.of(target.type, target.id);
      currentScope().ifMatch = version;
      const resource = await this.apply(target, operation.data);
      const headers = headersOf(resource, 201);
      const id = target.id ?? String(resource!['id']);
      return {
        id,
        ...own,
        location: headers['location'] ?? this.locations.of(target.type, id),
        ...(headers['etag'] && { version: headers['etag'] }),
        status: target.method === 'POST' ? '201' : resource ? '200' : '204',
      };
    } catch (error) {
      const response = this.errorOf(error);
      noteForLog(`${method} ${operation.path}: ${response.detail}`);
      return { id: null, ...own, ...(location && { location }), status: response.status, response };
    }
  }

  private apply({ method, type, id }: Target, data: unknown): Promise<Resource | undefined> {
    const service = type === 'Users' ? this.users : this.groups;
    switch (method) {
      case 'POST':
        return service.create(data, NOTHING);
      case 'PUT':
        return service.replace(id!, data, NOTHING);
      case 'PATCH':
        return service.patch(id!, data, NOTHING);
      case 'DELETE':
        return service.remove(id!).then(() => undefined);
    }
  }

  /** Converts an error to a SCIM error. @throws Problem 401, which ends the whole request. */
  private errorOf(error: unknown): ScimErrorBody {
    if (error instanceof ScimError) return error.body();
    if (error instanceof Problem && error.status === 401) throw error;
    if (!(error instanceof Problem)) this.logger.error(error);
    const problem = error instanceof Problem ? error : new Problem('internal_error', 'Something went wrong.');
    return SCIM.errorOf(problem) as ScimErrorBody;
  }
}

/** Progress of one bulk request. */
class BulkRun {
  private readonly byId = new Map<string, BulkOperation>();
  private readonly states = new Map<BulkOperation, State>();
  private readonly outcomes = new Map<BulkOperation, Outcome>();
  private errors = 0;

  constructor(
    private readonly operations: readonly BulkOperation[],
    private readonly failOnErrors: number,
    private readonly take: (operation: BulkOperation) => Promise<Outcome & { id: string | null }>,
  ) {
    for (const operation of operations) if (operation.bulkId !== null) this.byId.set(operation.bulkId, operation);
  }

  async finish(): Promise<Outcome[]> {
    for (const operation of this.operations) await this.settle(operation);
    return this.operations.flatMap((operation) => this.outcomes.get(operation) ?? []);
  }

  private async settle(operation: BulkOperation): Promise<void> {
    if (this.states.has(operation)) return;
    this.states.set(operation, 'running');
    const references = referencesOf(operation);
    for (const bulkId of references) {
      const other = this.byId.get(bulkId);
      if (other) await this.settle(other);
    }
    if (this.errors >= this.failOnErrors) return;
    const fault = references.map((bulkId) => this.faultOf(bulkId)).find((each) => each !== null);
    const { id, ...outcome } = fault ? refused(operation, fault) : await this.take(this.withIds(operation));
    if (id === null) this.errors++;
    this.states.set(operation, { id });
    this.outcomes.set(operation, outcome);
  }

  private withIds(operation: BulkOperation): BulkOperation {
    return resolved(operation, (bulkId) => this.idOf(bulkId)!);
  }

  private idOf(bulkId: string): string | null {
    const other = this.byId.get(bulkId);
    const state = other && this.states.get(other);
    return typeof state === 'object' ? state.id : null;
  }

  private faultOf(bulkId: string): ScimError | null {
    const other = this.byId.get(bulkId);
    if (!other) return invalidValue(`No operation has the bulkId "${cut(bulkId, 100)}".`);
    if (this.states.get(other) === 'running')
      return new ScimError(409, `What "${cut(bulkId, 100)}" makes refers to this operation itself.`);
    return this.idOf(bulkId) === null ? invalidValue(`The operation "${cut(bulkId, 100)}" has failed.`) : null;
  }
}

function refused({ method, bulkId }: BulkOperation, fault: ScimError): Outcome & { id: null } {
  const response = fault.body();
  return { id: null, method, ...(bulkId === null ? {} : { bulkId }), status: response.status, response };
}
