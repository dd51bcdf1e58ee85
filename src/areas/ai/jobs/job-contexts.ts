import { Injectable } from '@nestjs/common';
import type { RenderedPrompt } from '#libs/ai/kinds/kind.js';
import { KINDS } from '#libs/ai/kinds/kinds.js';
import type { Places } from '#libs/ai/personal-data/mask.js';
import type { ContextRecord, ModelTask } from '#libs/ai/provider.js';
import { Problem } from '#libs/kernel/problem.js';
import { Sealer } from '#libs/sealing/sealer.js';
import { ApprovalsService } from '#src/areas/home/approvals/approvals.service.js';
import { approvalDigestOf, digestOf } from './approval-digest.js';
import type { AiJob } from './job.js';

/** What a job is given, as it is sent: without the personal data that has to stay here. */
export interface JobContent {
  input: Record<string, unknown>;
  instructions: string | null;
  records: readonly ContextRecord[];
}

/** What is sent for a job, and what the placeholders in it stand for. */
export interface OpenedContext extends RenderedPrompt {
  task: ModelTask;
  instructions: string | null;
  places: Places;
}

type Sealed = Pick<AiJob, 'sealedInput' | 'sealedContext' | 'sealedPlaces'>;

const placeOf = (part: string, id: string): string => `data.ai_jobs|${part}|${id}`;

/** The hash that decisions about a job are bound to. */
export function inputHashOf({ input, instructions, records }: JobContent): string {
  return digestOf({ input, instructions, records });
}

/** What jobs are given, kept sealed from the decision until it is sent: what was approved is what is sent. */
@Injectable()
export class JobContexts {
  constructor(
    private readonly sealer: Sealer,
    private readonly approvals: ApprovalsService,
  ) {}

  async seal(id: string, { input, instructions, records }: JobContent, places: Places): Promise<Sealed> {
    const seal = (part: string, value: unknown) => this.sealer.seal(JSON.stringify(value), placeOf(part, id));
    const [sealedInput, sealedContext, sealedPlaces] = await Promise.all([
      seal('input', { input, instructions }),
      records.length > 0 ? seal('context', records) : null,
      Object.keys(places).length > 0 ? seal('places', places) : null,
    ]);
    return { sealedInput, sealedContext, sealedPlaces };
  }

  /**
   * What is to be sent for a job.
   * @throws Problem 409 `approval_changed` when it is not what was decided on, 410 `input_not_kept`.
   */
  async open(job: AiJob): Promise<OpenedContext> {
    const content = await this.contentOf(job);
    if (!content) throw new Problem('input_not_kept', 'What the job was given is not kept any more.');
    await this.refuseChanged(job, content);
    const task: ModelTask = { kind: job.kind, input: content.input, records: content.records };
    const prompt = KINDS.get(job.kind)!.render(task, content.instructions);
    return { ...prompt, task, instructions: content.instructions, places: await this.placesOf(job) };
  }

  /** What a job was given; null once it is not kept any more. */
  async contentOf({ id, sealedInput, sealedContext }: AiJob): Promise<JobContent | null> {
    if (sealedInput === null) return null;
    const given = JSON.parse(await this.sealer.open(sealedInput, placeOf('input', id))) as Omit<JobContent, 'records'>;
    const records = sealedContext === null ? '[]' : await this.sealer.open(sealedContext, placeOf('context', id));
    return { ...given, records: JSON.parse(records) as ContextRecord[] };
  }

  async placesOf({ id, sealedPlaces }: AiJob): Promise<Places> {
    return sealedPlaces === null
      ? {}
      : (JSON.parse(await this.sealer.open(sealedPlaces, placeOf('places', id))) as Places);
  }

  private async refuseChanged(job: AiJob, content: JobContent): Promise<void> {
    const digest = approvalDigestOf(job);
    const approved = job.approvalId === null ? null : (await this.approvals.records.readPlainly(job.approvalId)).input;
    const isAsDecided =
      inputHashOf(content) === job.inputHash &&
      digest === job.approvalDigest &&
      (approved === null || approved['approvalDigest'] === digest) &&
      job.costCapMicros <= job.approvedCapMicros;
    if (!isAsDecided) throw new Problem('approval_changed', 'The job is not what was decided on any more.');
  }
}
