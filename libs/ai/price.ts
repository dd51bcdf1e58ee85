/** What a model costs from an instant on, in millionths of the tenant's currency per 1,000 tokens. */
export interface ModelPrice {
  /** RFC 3339. */
  from: string;
  inputMicrosPer1k: number;
  outputMicrosPer1k: number;
  /** Of input tokens that the provider had in its cache. */
  cachedMicrosPer1k: number;
}

/** The price in force at an instant; null before the first. */
export function priceAt(prices: readonly ModelPrice[], at: string): ModelPrice | null {
  const moment = Date.parse(at);
  return prices.reduce<ModelPrice | null>((found, price) => {
    const from = Date.parse(price.from);
    return from <= moment && (!found || from >= Date.parse(found.from)) ? price : found;
  }, null);
}
