import { Injectable } from '@nestjs/common';
import { SCIM_BURST } from '#libs/http/rate-limit/rate-limit.storage.js';
import { cut } from '#libs/kernel/cut.js';
import { ENTERPRISE_SCHEMA, GROUP_SCHEMA } from '#libs/scim-language/schemas.js';
import type { Schema } from '#libs/scim-language/attribute.js';
import { USER_SCHEMA } from '#libs/scim-language/user-schema.js';
import { ScimError } from '#libs/scim-language/scim-error.js';
import { URN } from '#libs/scim-language/urn.js';
import { MAX_RESULTS } from '../list/list-request.js';
import type { ListResponse } from '../list/scim-pages.js';
import { ScimLocations } from '../scim-locations.service.js';

/** Maximum number of operations and size of a bulk request. A full bucket of the rate limit covers all operations. */
export const MAX_BULK_OPERATIONS = SCIM_BURST;
export const MAX_BULK_BYTES = 1_048_576;

type Document = Record<string, unknown>;

const SCHEMAS: readonly Schema[] = [USER_SCHEMA, GROUP_SCHEMA, ENTERPRISE_SCHEMA];

/** Discovery documents of RFC 7643 sections 5 to 7. */
@Injectable()
export class DiscoveryService {
  constructor(private readonly locations: ScimLocations) {}

  /** `Source:` RFC 7643 section 5, RFC 9865 section 4. */
  serviceProviderConfig(): Document {
    return {
      schemas: [URN.serviceProviderConfig],
      patch: { supported: true },
      bulk: { supported: true, maxOperations: MAX_BULK_OPERATIONS, maxPayloadSize: MAX_BULK_BYTES },
      filter: { supported: true, maxResults: MAX_RESULTS },
      changePassword: { supported: false },
      sort: { supported: true },
      etag: { supported: true },
      pagination: {
        cursor: true,
        index: true,
        defaultPaginationMethod: 'index',
        defaultPageSize: 100,
        maxPageSize: MAX_RESULTS,
      },
      authenticationSchemes: [
        {
          type: 'oauthbearertoken',
          name: 'Bearer token',
          description: 'The token of a SCIM configuration, in the Authorization header.',
          specUri: 'https://www.rfc-editor.org/info/rfc6750',
          primary: true,
        },
      ],
      meta: { resourceType: 'ServiceProviderConfig', location: this.locations.of('ServiceProviderConfig') },
    };
  }

  resourceTypes(): ListResponse {
    return listOf([this.userType(), this.groupType()]);
  }

  /** @throws ScimError 404. */
  resourceType(id: string): Document {
    return found([this.userType(), this.groupType()], id);
  }

  schemas(): ListResponse {
    return listOf(SCHEMAS.map((schema) => this.show(schema)));
  }

  /** @throws ScimError 404. */
  schema(urn: string): Document {
    return found(
      SCHEMAS.map((schema) => this.show(schema)),
      urn,
    );
  }

  private userType(): Document {
    return {
      schemas: [URN.resourceType],
      id: 'User',
      name: 'User',
      description: 'User Account',
      endpoint: '/Users',
      schema: URN.user,
      schemaExtensions: [{ schema: URN.enterprise, required: false }],
      meta: { resourceType: 'ResourceType', location: this.locations.of('ResourceTypes', 'User') },
    };
  }

  private groupType(): Document {
    return {
      schemas: [URN.resourceType],
      id: 'Group',
      name: 'Group',
      description: 'Group',
      endpoint: '/Groups',
      schema: URN.group,
      meta: { resourceType: 'ResourceType', location: this.locations.of('ResourceTypes', 'Group') },
    };
  }

  private show(schema: Schema): Document {
    const meta = { resourceType: 'Schema', location: this.locations.of('Schemas', schema.id) };
    return { schemas: [URN.schema], ...schema, meta };
  }
}

function found(documents: Document[], id: string): Document {
  const document = documents.find((each) => String(each['id']).toLowerCase() === id.toLowerCase());
  if (!document) throw new ScimError(404, `There is nothing with the id "${cut(id, 200)}".`);
  return document;
}

function listOf(documents: Document[]): ListResponse {
  return {
    schemas: [URN.listResponse],
    totalResults: documents.length,
    itemsPerPage: documents.length,
    startIndex: 1,
    Resources: documents,
  };
}
