import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { ModelClass } from '#libs/http/field.js';
import { inlineSchemaOf } from '#libs/http/schema.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { AiModelView, MODEL_TYPE, MODELS_PATH } from './model.dto.js';
import { AiProviderView, PROVIDER_TYPE, PROVIDERS_PATH } from './provider.dto.js';

const MADE = {
  isBuiltIn: false,
  version: 1,
  createdAt: '2026-11-21T09:15:02.114Z',
  createdBy: { type: 'member', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40', name: 'Ana Silva' },
  updatedAt: '2026-11-21T09:15:02.114Z',
};

/** A provider as the API shows it, for the documentation. */
export const PROVIDER_EXAMPLE: AiProviderView = {
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1e02',
  object: PROVIDER_TYPE,
  key: 'openai',
  name: 'OpenAI, EU',
  api: 'openai',
  baseUrl: 'https://api.provider.example/v1',
  secretName: 'AI/OPENAI_KEY',
  region: 'eu',
  isIdempotent: false,
  enabled: true,
  ...MADE,
};

const PRICE = {
  from: '2026-11-21T09:15:02.114Z',
  inputMicrosPer1k: 150,
  outputMicrosPer1k: 600,
  cachedMicrosPer1k: 75,
};

/** A model as the API shows it, for the documentation. */
export const MODEL_EXAMPLE: AiModelView = {
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1e03',
  object: MODEL_TYPE,
  provider: 'openai',
  key: 'small-model-2026-08',
  name: 'Small model',
  contextTokens: 128_000,
  maxOutputTokens: 16_384,
  price: PRICE,
  prices: [PRICE],
  regions: [],
  capabilities: ['tools', 'json'],
  enabled: true,
  isDefault: false,
  ...MADE,
};

export type ChangeVerb = 'created' | 'updated' | 'deleted';
const DONE: Record<ChangeVerb, string> = { created: 'was added', updated: 'changed', deleted: 'was deleted' };
const SUBJECTS: { type: string; path: string; noun: string; view: ModelClass; example: { id: string } }[] = [
  {
    type: PROVIDER_TYPE,
    path: PROVIDERS_PATH,
    noun: 'An AI provider',
    view: AiProviderView,
    example: PROVIDER_EXAMPLE,
  },
  {
    type: MODEL_TYPE,
    path: MODELS_PATH,
    noun: 'An AI model, or what it costs,',
    view: AiModelView,
    example: MODEL_EXAMPLE,
  },
];

/** Declares the events about providers and models when the process starts. */
@Injectable()
export class ModelEvents implements OnModuleInit {
  constructor(private readonly events: EventCatalogue) {}

  onModuleInit(): void {
    for (const { type, path, noun, view, example } of SUBJECTS)
      for (const [verb, done] of Object.entries(DONE))
        this.events.add({
          type: `${type}.${verb}`,
          version: 1,
          description: `${noun} ${done}.`,
          data: inlineSchemaOf(view),
          example: { ...example },
          subjectType: type,
          exampleUrl: `${path}/${example.id}`,
        });
  }
}
