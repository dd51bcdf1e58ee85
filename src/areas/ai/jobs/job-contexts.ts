import { Injectable } from '@nestjs/common';
import type { RenderedPrompt } from '#libs/ai/kinds/kind.js';
import { KINDS } from '#libs/ai/kinds/kinds.js';
import type { Places } from '#libs/ai/personal-data/mask.js';
import type { ContextRecord, ModelTask } from '#libs/ai/provider.js';
import { Problem } from '#libs/kernel/problem.js';
import { SealedColumn } from '#libs/sealing/sealed-column.js';
import { Sealer } from '#libs/sealing/sealer.js';
import { ApprovalsService } from '#src/areas/home/approvals/approvals.service.js';
import { digestOf } from '#libs/kernel/canonical.js';
import { approvalDigestOf } from './approval-digest.js';
import type { AiJob } from './job.js';

/** The content of a job as it is sent, without personal data that must not be sent. */
export interface JobContent {
  input: Record<string, unknown>;
  instructions: string | null;
  records: readonly ContextRecord[];
}

/** The content of a job, and the values of its placeholders. */
export interface OpenedContext extends RenderedPrompt {
  task: ModelTask;
  instructions: string | null;
  places: Places;
}

type Sealed = Pick<AiJob, 'sealedInput' | 'sealedContext' | 'sealedPlaces'>;

const TABLE = 'data.ai_jobs';
const INPUT = new SealedColumn(TABLE, 'sealed_input', { name: 'input' });
const CONTEXT = new SealedColumn(TABLE, 'sealed_context', { name: 'context' });
const PLACES = new SealedColumn(TABLE, 'sealed_places', { name: 'places' });

export const JOB_SEALED_COLUMNS = [INPUT, CONTEXT, PLACES];

/** The hash that identifies the content which a decision covers. */
export function inputHashOf({ input, instructions, records }: JobContent): string {
  return digestOf({ input, instructions, records });
}

/** The contents of jobs, encrypted between the decision and the call: exactly what was approved is sent. */
@Injectable()
export class JobContexts {
  constructor(
    private readonly sealer: Sealer,
    private readonly approvals: ApprovalsService,
  ) {}

  async seal(id: string, { input, instructions, records }: JobContent, places: Places): Promise<Sealed> {
    const seal = (column: SealedColumn, value: unknown) => this.sealer.seal(JSON.stringify(value), column, id);
    const [sealedInput, sealedContext, sealedPlaces] = await Promise.all([
      seal(INPUT, { input, instructions }),
      records.length > 0 ? seal(CONTEXT, records) : null,
      Object.keys(places).length > 0 ? seal(PLACES, places) : null,
    ]);
    return { sealedInput, sealedContext, sealedPlaces };
  }

  /**
   * The content to send for a job.
   * @throws Problem 409 `approval_changed` if it differs from what was decided, 410 `input_not_kept`.
   */
  async open(job: AiJob): Promise<OpenedContext> {
    const content = await this.contentOf(job);
    if (!content) throw new Problem('input_not_kept', 'The input of the job is no longer stored.');
    await this.refuseChanged(job, content);
    const task: ModelTask = { kind: job.kind, input: content.input, records: content.records };
    const prompt = KINDS.get(job.kind)!.render(task, content.instructions);
    return { ...prompt, task, instructions: content.instructions, places: await this.placesOf(job) };
  }

  /** The content of a job; null once deleted. */
  async contentOf({ id, sealedInput, sealedContext }: AiJob): Promise<JobContent | null> {
    if (sealedInput === null) return null;
    const given = JSON.parse(await this.sealer.open(sealedInput, INPUT, id)) as Omit<JobContent, 'records'>;
    const records = sealedContext === null ? '[]' : await this.sealer.open(sealedContext, CONTEXT, id);
    return { ...given, records: JSON.parse(records) as ContextRecord[] };
  }

  async placesOf({ id, sealedPlaces }: AiJob): Promise<Places> {
    return sealedPlaces === null ? {} : (JSON.parse(await this.sealer.open(sealedPlaces, PLACES, id)) as Places);
  }

  private async refuseChanged(job: AiJob, content: JobContent): Promise<void> {
    const digest = approvalDigestOf(job);
    const approved = job.approvalId === null ? null : (await this.approvals.records.readPlainly(job.approvalId)).input;
    const isAsDecided =
      inputHashOf(content) === job.inputHash &&
      digest === job.approvalDigest &&
      (approved === null || approved['approvalDigest'] === digest) &&
      job.costCapMicros <= job.approvedCapMicros;
    if (!isAsDecided) throw new Problem('approval_changed', 'The job has changed since the decision.');
  }
}
