import type { ModelPrice } from './price.js';
import type { ModelCall, ModelUsage } from './provider.js';

/** Minimum output limit for which a call is useful. */
export const OUTPUT_FLOOR = 64;
/** Tokens that a provider's wire format adds per message or tool. */
const PER_PART = 16;
/** Tokens that providers add to explain tools and structured output to a model (Anthropic's preamble has up to 530). */
const FORM_PREAMBLE = 640;
const PER_1K = 1_000n;

const bytesOf = (text: string | null): number => (text === null ? 0 : Buffer.byteLength(text));

/**
 * Upper bound of a call's input tokens. No tokenizer produces more tokens than the text has UTF-8 bytes, so bytes are a
 * bound for every model; the excess is released when the call is settled.
 */
export function inputBound(call: Pick<ModelCall, 'system' | 'messages' | 'tools' | 'outputSchema'>): number {
  const { system, messages, tools, outputSchema } = call;
  const parts = [
    ...(system === null ? [] : [bytesOf(system)]),
    ...messages.map((message) =>
      message.role === 'assistant'
        ? bytesOf(message.text) + message.toolCalls.reduce((sum, each) => sum + bytesOf(JSON.stringify(each)), 0)
        : bytesOf(message.text),
    ),
    ...tools.map((tool) => bytesOf(JSON.stringify(tool))),
    ...(outputSchema === null ? [] : [bytesOf(JSON.stringify(outputSchema))]),
  ];
  const preamble = tools.length > 0 || outputSchema !== null ? FORM_PREAMBLE : 0;
  return parts.reduce((sum, bytes) => sum + bytes + PER_PART, preamble);
}

/**
 * Maximum cost of a call, micros rounded up. Cached input can be more expensive than uncached, so the higher price
 * applies.
 */
export function worstCase(inputTokens: number, maxOutputTokens: number, price: ModelPrice): number {
  return micros(
    BigInt(inputTokens) * BigInt(dearestInput(price)) + BigInt(maxOutputTokens) * BigInt(price.outputMicrosPer1k),
  );
}

/**
 * Actual cost of a call, micros rounded up. Cached tokens are part of the input tokens, whatever a provider reports.
 */
export function costOf({ inputTokens, outputTokens, cachedTokens }: ModelUsage, price: ModelPrice): number {
  const cached = Math.min(cachedTokens, inputTokens);
  return micros(
    BigInt(inputTokens - cached) * BigInt(price.inputMicrosPer1k) +
      BigInt(cached) * BigInt(price.cachedMicrosPer1k) +
      BigInt(outputTokens) * BigInt(price.outputMicrosPer1k),
  );
}

/**
 * The longest affordable response, up to the requested length; null if it is below {@link OUTPUT_FLOOR}, in which case
 * no call is made.
 */
export function fittingOutput(
  inputTokens: number,
  wantedTokens: number,
  leftMicros: number,
  price: ModelPrice,
): number | null {
  const left = BigInt(leftMicros) * PER_1K - BigInt(inputTokens) * BigInt(dearestInput(price));
  if (left < 0n) return null;
  const perToken = BigInt(price.outputMicrosPer1k);
  const affordable = perToken === 0n ? BigInt(wantedTokens) : left / perToken;
  const fitting = affordable < BigInt(wantedTokens) ? Number(affordable) : wantedTokens;
  return fitting < OUTPUT_FLOOR ? null : fitting;
}

function dearestInput({ inputMicrosPer1k, cachedMicrosPer1k }: ModelPrice): number {
  return Math.max(inputMicrosPer1k, cachedMicrosPer1k);
}

/** Converts thousandths of micros to micros. Amounts beyond JSON's exact range also exceed every budget. */
function micros(thousandths: bigint): number {
  const whole = (thousandths + PER_1K - 1n) / PER_1K;
  return whole > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(whole);
}
