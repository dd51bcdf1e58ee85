import type { Demo } from './banner.js';

const LIMIT_MS = 10_000;

/**
 * Loads sample data into the new demo tenant through the API, as its owner would.
 * @param tell is called with one line if that fails; the platform runs without it.
 */
export async function loadSampleData(apiUrl: string, { apiKey }: Demo, tell: (line: string) => void): Promise<void> {
  try {
    const response = await fetch(`${apiUrl}/api/admin/onboarding`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'load_sample_data' }),
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    if (!response.ok) tell(`The demo tenant has no sample data: ${await response.text()}`);
  } catch (error) {
    const { message, cause } = error as Error;
    tell(`The demo tenant has no sample data: ${cause instanceof Error ? `${message}, ${cause.message}` : message}`);
  }
}
