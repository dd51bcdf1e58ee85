import { Injectable, type OnModuleInit } from '@nestjs/common';
import { inlineSchemaOf } from '#libs/http/schema.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { SECRET_TYPE, SecretFacts, SECRETS_PATH } from './secret.dto.js';

export const SECRET_EXAMPLE: SecretFacts = {
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1e01',
  object: SECRET_TYPE,
  name: 'AI/OPENAI_KEY',
  kind: 'api_key',
  description: null,
  version: 1,
  createdBy: { type: 'member', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40', name: 'Ana Silva' },
  createdAt: '2026-11-21T09:15:02.114Z',
  rotatedAt: null,
  expiresAt: '2027-11-21T00:00:00.000Z',
};

const EVENTS = {
  created: 'A secret was stored.',
  rotated: 'A secret got a new value.',
  deleted: 'A secret was deleted; all of its values are destroyed.',
  expiring: 'A secret expires within 14 days, or within one.',
};
export type SecretVerb = keyof typeof EVENTS;

/** Declares the events about secrets when the process starts. */
@Injectable()
export class SecretEvents implements OnModuleInit {
  constructor(private readonly events: EventCatalogue) {}

  onModuleInit(): void {
    for (const [verb, description] of Object.entries(EVENTS))
      this.events.add({
        type: `${SECRET_TYPE}.${verb}`,
        version: 1,
        description: `${description} Never with a value.`,
        data: inlineSchemaOf(SecretFacts),
        example: { ...SECRET_EXAMPLE },
        subjectType: SECRET_TYPE,
        exampleUrl: SECRETS_PATH,
      });
  }
}
