import type { ModelPrice } from '#libs/ai/price.js';
import { MODEL_TYPE, type AiModelView } from './model.dto.js';
import { PROVIDER_TYPE, type AiProviderView } from './provider.dto.js';

/** Key of the provider that every tenant has, and of its model. */
export const LOCAL = 'local';
export const LOCAL_MODEL = 'local-1';

const PROVIDER_ID = '00000000-0000-7000-8000-0000000a1001';
const MODEL_ID = '00000000-0000-7000-8000-0000000a1002';
const FOREVER = '1970-01-01T00:00:00.000Z';
const MADE = { isBuiltIn: true, version: 1, createdAt: null, createdBy: null, updatedAt: null };

/** The provider that works inside the server, without a network. */
export const LOCAL_PROVIDER: AiProviderView = {
  id: PROVIDER_ID,
  object: PROVIDER_TYPE,
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

/** Its model, at the price that the operator has set. */
export function localModel(microsPer1k: number, isDefault: boolean): AiModelView {
  const price: ModelPrice = {
    from: FOREVER,
    inputMicrosPer1k: microsPer1k,
    outputMicrosPer1k: microsPer1k,
    cachedMicrosPer1k: microsPer1k,
  };
  return {
    id: MODEL_ID,
    object: MODEL_TYPE,
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

/** Whether an id is that of a built-in record. */
export function isBuiltIn(id: string): boolean {
  return id === PROVIDER_ID || id === MODEL_ID;
}
