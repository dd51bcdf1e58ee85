import type { ModelPrice } from '#libs/ai/price.js';
import { Problem } from '#libs/kernel/problem.js';
import { type AiModelView, models } from './model.js';
import { type AiProviderView, providers } from './provider.js';

/** Key of the provider that every tenant has, and of its model. */
export const LOCAL = 'local';
export const LOCAL_MODEL = 'local-1';

const PROVIDER_ID = '00000000-0000-7000-8000-0000000a1001';
const MODEL_ID = '00000000-0000-7000-8000-0000000a1002';
const FOREVER = '1970-01-01T00:00:00.000Z';
const MADE = { isBuiltIn: true, version: 1, createdAt: null, createdBy: null, updatedAt: null };

/** The provider that runs inside the server, without network access. */
export const LOCAL_PROVIDER: AiProviderView = {
  id: PROVIDER_ID,
  object: providers.type,
  key: LOCAL,
  name: 'Built in',
  api: 'local',
  baseUrl: null,
  secretName: null,
  region: null,
  isIdempotent: true,
  enabled: true,
  ...MADE,
};

/** Its model, at the price that the operator configures. */
export function localModel(microsPer1k: number, isDefault: boolean): AiModelView {
  const price: ModelPrice = {
    from: FOREVER,
    inputMicrosPer1k: microsPer1k,
    outputMicrosPer1k: microsPer1k,
    cachedMicrosPer1k: microsPer1k,
  };
  return {
    id: MODEL_ID,
    object: models.type,
    provider: LOCAL,
    key: LOCAL_MODEL,
    name: 'Built in',
    contextTokens: 1_000_000,
    maxOutputTokens: 16_384,
    price,
    prices: [price],
    regions: [],
    capabilities: ['tools', 'json'],
    enabled: true,
    isDefault,
    ...MADE,
  };
}

/** @throws Problem 409 `record_locked` if the id is that of a built-in object. */
export function refuseBuiltIn(id: string, noun: string): void {
  if (id === PROVIDER_ID || id === MODEL_ID)
    throw new Problem('record_locked', `The built-in ${noun} cannot be changed.`);
}

/** @throws Problem 409 `in_use` if `uses` is not empty; it describes what uses the object. */
export function refuseUsed(uses: readonly string[], noun: string): void {
  if (uses.length > 0) throw new Problem('in_use', `The ${noun} is used by ${uses.join(', ')}.`);
}
