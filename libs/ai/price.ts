/** Price of a model from an instant on, in millionths of the tenant's currency per 1,000 tokens. */
export interface ModelPrice {
  /** RFC 3339. */
  from: string;
  inputMicrosPer1k: number;
  outputMicrosPer1k: number;
  /** Price of cached input tokens. */
  cachedMicrosPer1k: number;
}

/** The price at an instant; null before the first one. */
export function priceAt(prices: readonly ModelPrice[], at: string): ModelPrice | null {
  const moment = Date.parse(at);
  return prices.reduce<ModelPrice | null>((found, price) => {
    const from = Date.parse(price.from);
    return from <= moment && (!found || from >= Date.parse(found.from)) ? price : found;
  }, null);
}
