import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { notWith, Problem } from '#libs/kernel/problem.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { Prompt } from './prompt.js';
import { idOfKey } from './prompt.queries.js';
import { PromptVersionsRepository } from './prompt-versions.repository.js';
import { filled, type VariableValue, variableViolations } from './template.js';

/** The prompt of a job, with values for its variables. */
export interface PromptChoice {
  key: string;
  /** Excludes `version`. */
  label?: string | null | undefined;
  version?: number | null | undefined;
  /** Strings, numbers or booleans, by name. */
  variables?: Readonly<Record<string, unknown>> | undefined;
}

/** A prompt with its variables filled in. */
export interface ResolvedPrompt {
  promptId: string;
  key: string;
  version: number;
  text: string;
}

/** The default label. */
const USUAL = 'production';

/** Prompts as used by jobs. */
@Injectable()
export class Prompts {
  constructor(
    private readonly kit: ResourceKit,
    private readonly versions: PromptVersionsRepository,
  ) {}

  /**
   * The text of a version: the given version, the one with the label, or else the one in production, or the newest if
   * none is.
   * @param pointer position of the choice in the request.
   * @throws Problem 400 for unknown names, and for missing or extra variables.
   */
  async resolve({ key, label, version, variables = {} }: PromptChoice, pointer = '/prompt'): Promise<ResolvedPrompt> {
    const [found] = await this.kit.database.read<{ id: string }>(idOfKey(key));
    const prompt = found ? await this.kit.rows(Prompt).find(found.id) : null;
    if (!prompt) throw unknown(`${pointer}/key`, 'There is no such prompt.');
    if (label != null && version != null)
      throw Problem.validation([{ pointer: `${pointer}/version`, ...notWith('label', 'Name a label or a version.') }]);
    const number = version ?? versionOf(prompt, label ?? null);
    if (number === null) throw unknown(`${pointer}/label`, 'No version of the prompt has this label.');
    const chosen = await this.versions.findOfPrompt(prompt.id, number);
    if (!chosen) throw unknown(`${pointer}/version`, 'The prompt has no such version.');
    const faults = variableViolations(chosen.variables, variables, `${pointer}/variables`);
    if (faults.length > 0) throw Problem.validation(faults);
    return {
      promptId: prompt.id,
      key,
      version: number,
      text: filled(chosen.template, variables as Record<string, VariableValue>),
    }; // checked above
  }

  /** Records which version a job used. */
  use(
    transaction: Pick<Transaction, 'write'>,
    { promptId, version, jobId }: { promptId: string; version: number; jobId: string },
  ): void {
    transaction.write(this.versions.use(jobId, promptId, version));
  }
}

function versionOf({ labels, promptVersion }: Prompt, label: string | null): number | null {
  const labelled = labels.find((each) => each.label === (label ?? USUAL))?.promptVersion;
  return labelled ?? (label === null ? promptVersion : null);
}

function unknown(pointer: string, detail: string): Problem {
  return Problem.validation([{ pointer, code: 'unknown_reference', detail }]);
}
