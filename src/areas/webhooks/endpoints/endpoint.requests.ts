import { listQuery } from '#libs/resource/lists/list-query.js';
import { mergePatchOf } from '#libs/resource/types/record.dto.js';
import type { CustomHeaders } from '#libs/webhooks/lanes/endpoint-secrets.js';
import { customHeadersPatch } from './custom-headers.js';
import { type Endpoint, endpoints } from './endpoint.js';

type Optional =
  | 'description'
  | 'filter'
  | 'payloadMode'
  | 'schemaVersions'
  | 'ordering'
  | 'maxPerSecond'
  | 'maxConcurrency'
  | 'timeoutMs';

export type NewEndpoint = Pick<Endpoint, 'url' | 'eventTypes'> &
  Partial<Pick<Endpoint, Optional>> & { customHeaders?: CustomHeaders };
export type EndpointPatch = Partial<Omit<NewEndpoint, 'customHeaders'>> & {
  customHeaders?: Record<string, string | null> | null;
};

export const UpdateEndpoint = mergePatchOf('UpdateEndpoint', endpoints.update, { customHeaders: customHeadersPatch });

export const EndpointQuery = listQuery('EndpointQuery', endpoints.list!);
