import { Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { declaredRoutes } from '#libs/http/declared-routes.js';
import { ApiDocument } from '#libs/http/openapi/api-document.js';
import { documentedOperations, type DocumentedOperation } from '#libs/http/openapi/references.js';
import type { RouteOptions } from '#libs/http/route.js';

/** An operation from the OpenAPI document, with the declaration that the guards use. */
export interface KnownOperation extends Pick<DocumentedOperation, 'path' | 'method' | 'operation'> {
  id: string;
  /** First part of its id, as used in paths. */
  area: string;
  route: RouteOptions;
}

/** All operations of the API, from the OpenAPI document and the declared routes. */
@Injectable()
export class OperationCatalogue {
  private known: Promise<ReadonlyMap<string, KnownOperation>> | null = null;

  constructor(
    private readonly source: ApiDocument,
    private readonly modules: ModulesContainer,
  ) {}

  document(): Promise<OpenAPIObject> {
    return this.source.read();
  }

  /** By operation id, in the order of the document. */
  all(): Promise<ReadonlyMap<string, KnownOperation>> {
    return (this.known ??= this.read());
  }

  private async read(): Promise<ReadonlyMap<string, KnownOperation>> {
    const routes = declaredRoutes(this.modules);
    const documented = documentedOperations(await this.document()).filter(({ aliasOf }) => aliasOf === null);
    return new Map(
      documented.map(({ path, method, operation }) => {
        const id = operation.operationId;
        return [id, { id, area: areaOf(id), path, method, operation, route: routes.get(id)!.route }];
      }),
    );
  }
}

/** The area of an operation. */
export function areaOf(operationId: string): string {
  return operationId.split('.', 1)[0]!.replaceAll('_', '-');
}
