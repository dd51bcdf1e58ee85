import type { KeptRecord } from '#libs/resource/sample/sample-data.js';
import type { OnboardingView } from '#src/areas/setup/onboarding/onboarding.dto.js';
import type { Answer, Client } from '../../harness/client.js';
import { expectStatus } from '../finance/payment-calls.js';

export const ONBOARDING = '/api/admin/onboarding';
type Json = Record<string, unknown> & { id: string };

export const sendTo = (api: Client, action: string): Promise<Answer<OnboardingView & { code: string }>> =>
  api.post(ONBOARDING, { action });

/** A new tenant has an onboarding and a default pipeline from the first reading on. */
export async function loadSample(api: Client): Promise<void> {
  expectStatus(await sendTo(api, 'load_sample_data'), 200);
}

/** Removes the sample data. Returns the records that stay. */
export async function removeSample(api: Client): Promise<KeptRecord[]> {
  return expectStatus(await sendTo(api, 'remove_sample_data'), 200).sampleData?.kept ?? [];
}

export async function listOf(api: Client, path: string): Promise<Json[]> {
  return expectStatus(await api.get<{ data: Json[] }>(path), 200).data;
}

/** The record of a list with a reference. */
export async function named(api: Client, path: string, reference: string): Promise<Json> {
  return (await listOf(api, `${path}?limit=200`)).find((each) => each['reference'] === reference)!;
}

export const referencesOf = (kept: readonly KeptRecord[]) => kept.map(({ reference }) => reference).sort();
