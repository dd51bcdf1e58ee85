import { Injectable } from '@nestjs/common';
import { fittingOutput, inputBound, OUTPUT_FLOOR, worstCase } from '#libs/ai/cost.js';
import type { RenderedPrompt } from '#libs/ai/kinds/kind.js';
import type { AiPolicy } from '#libs/ai/policy.js';
import type { ModelPrice } from '#libs/ai/price.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Agent } from '../agents/agent.js';
import { type ModelOffer, Models } from '../models/models.service.js';
import { invalid, tooLarge } from './job-materials.service.js';

/** Default length of model responses. */
const DEFAULT_OUTPUT_TOKENS = 1_024;
/** Typical for most languages. Only for estimates, never for reservations. */
const BYTES_PER_TOKEN = 4;

/** A model with a price. */
export interface PricedOffer extends ModelOffer {
  price: ModelPrice;
}

/** Cost of a job, micros. */
export interface Quote {
  maxOutputTokens: number;
  /** Maximum cost; this is what is reserved. Zero if the job does not fit its cap. */
  worstMicros: number;
  /** Expected cost. */
  expectedMicros: number;
  /** Whether the first call fits the cap. */
  fits: boolean;
}

/** Selects the model for a job and computes the cost. */
@Injectable()
export class JobQuotes {
  constructor(private readonly models: Models) {}

  /** @throws Problem 400 for an unknown model, 409 `model_not_priced`. */
  async offerOf(wanted: { provider: string | null; model: string | null }): Promise<PricedOffer> {
    const { provider, model } = wanted;
    const offer = await this.models.find(provider, model);
    if (!offer) {
      const [pointer, name] = model === null ? ['/provider', provider] : ['/model', model];
      throw invalid(pointer, 'unknown_model', `There is no model ${name ?? ''} that is enabled.`);
    }
    const { price } = offer;
    if (!price) throw new Problem('model_not_priced', `The model ${offer.model} has no price in force.`);
    return { ...offer, price };
  }

  /**
   * @param spentMicros cost of the job so far, which counts towards its cap.
   * @throws Problem 400 if the output exceeds the model's limit, 413 `input_too_large` if the input does.
   */
  quote(
    offer: PricedOffer,
    prompt: RenderedPrompt,
    { kind, wantedTokens, capMicros, spentMicros }: QuoteRequest,
  ): Quote {
    if (wantedTokens !== null && wantedTokens > offer.maxOutputTokens)
      throw invalid(
        '/maxOutputTokens',
        'out_of_range',
        `The model answers with up to ${offer.maxOutputTokens} tokens.`,
      );
    const wanted = Math.min(wantedTokens ?? DEFAULT_OUTPUT_TOKENS, offer.maxOutputTokens);
    const bound = inputBound({ ...prompt, tools: [] });
    const usual = Math.ceil(bound / BYTES_PER_TOKEN);
    if (usual + Math.min(wanted, OUTPUT_FLOOR) > offer.contextTokens)
      throw tooLarge(`The model takes ${offer.contextTokens} tokens; this is about ${usual}.`);
    const leftMicros = Math.max(0, capMicros - spentMicros);
    const maxOutputTokens = fittingOutput(bound, wanted, leftMicros, offer.price);
    if (maxOutputTokens === null) return { maxOutputTokens: wanted, worstMicros: 0, expectedMicros: 0, fits: false };
    const once = worstCase(bound, maxOutputTokens, offer.price);
    const calls = kind === 'agent.run' ? Infinity : prompt.outputSchema === null ? 1 : CALLS_IN_FORM;
    const worstMicros = once === 0 ? 0 : Math.min(leftMicros, once * calls);
    return {
      maxOutputTokens,
      worstMicros,
      expectedMicros: Math.min(worstMicros, worstCase(usual, Math.ceil(maxOutputTokens / 2), offer.price)),
      fits: true,
    };
  }
}

/** If a response has the wrong form, the model is asked again, with that response in the request. */
const CALLS_IN_FORM = 3;

interface QuoteRequest {
  kind: string;
  /** Null for the default length. */
  wantedTokens: number | null;
  capMicros: number;
  spentMicros: number;
}

/**
 * The cost cap of a job, from the caller, the policy and its agent.
 * @throws Problem 400 `cost_cap_above_policy`.
 */
export function capOf(asked: number | null, policy: AiPolicy, agent: Pick<Agent, 'limits'> | null): number {
  const max = Math.min(policy.maxCostCapMicros, agent?.limits.maxCostMicrosPerJob ?? Infinity);
  if (asked !== null && asked > max)
    throw new Problem('cost_cap_above_policy', `A job may cost ${max} micros at most.`, {
      errors: [{ pointer: '/costCapMicros', code: 'cost_cap_above_policy', detail: `The most is ${max}.` }],
      extensions: { maxCostCapMicros: max },
    });
  return asked ?? Math.min(policy.defaultCostCapMicros, max);
}
