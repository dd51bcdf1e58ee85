import { Injectable, type OnModuleInit } from '@nestjs/common';
import { inlineSchemaOf } from '#libs/http/schema.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { CONFIGURATION_TYPE, CONFIGURATIONS_PATH, ScimConfigurationFacts } from './scim-configuration.dto.js';
import type { StoredConfiguration } from './scim-configurations.repository.js';

const EXAMPLE = {
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b70',
  object: CONFIGURATION_TYPE,
  name: 'Entra ID',
  status: 'active',
  defaultRoleIds: ['00000000-0000-7000-8000-000000000004'],
  groupRoleMap: [{ group: 'Sales', roleIds: ['00000000-0000-7000-8000-000000000003'], workspaceIds: [] }],
  deprovisionAction: 'suspend',
  allowedDomains: ['acme.example'],
  version: 1,
  createdAt: '2026-11-21T09:15:02.114Z',
  updatedAt: '2026-11-21T09:15:02.114Z',
};

const DESCRIPTIONS = {
  created: 'An identity provider was connected.',
  updated: 'A connection to an identity provider changed: defaults, mapping, domains or token.',
  token_rotated: 'A connection to an identity provider got a new token.',
  enabled: 'Calls of an identity provider are answered again.',
  disabled: 'Calls of an identity provider are refused.',
  deleted: 'A connection to an identity provider was removed; its tokens are revoked.',
};

export type ConfigurationVerb = keyof typeof DESCRIPTIONS;

/** What may be told to everybody about a configuration. */
export function configurationFacts(config: StoredConfiguration): ScimConfigurationFacts {
  const { tokenLast4: _last4, createdBy: _by, ...facts } = config;
  return { ...facts, object: CONFIGURATION_TYPE };
}

/** Declares the events about configurations when the process starts. */
@Injectable()
export class ScimConfigurationEvents implements OnModuleInit {
  constructor(private readonly events: EventCatalogue) {}

  onModuleInit(): void {
    for (const [verb, description] of Object.entries(DESCRIPTIONS))
      this.events.add({
        type: `${CONFIGURATION_TYPE}.${verb}`,
        version: 1,
        description,
        data: inlineSchemaOf(ScimConfigurationFacts),
        example: EXAMPLE,
        subjectType: CONFIGURATION_TYPE,
        exampleUrl: CONFIGURATIONS_PATH,
      });
  }
}
