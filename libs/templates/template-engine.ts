import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LimitedThreads, TaskTooCostly } from '#libs/threads/limited-threads.js';
import {
  type Inspection,
  type Rendering,
  type RenderOutcome,
  type TemplateFault,
  type TemplateText,
  TIME_MS,
} from './template.js';
import type { TemplateTask } from './thread.js';

const TOO_COSTLY: TemplateFault = {
  at: 'body',
  code: 'template_too_costly',
  detail: `It takes more than ${TIME_MS} ms of computing time, or too much memory.`,
};

/**
 * The language of templates, which strangers write. It is parsed and rendered in threads of its own, so no template blocks or
 * ends the process. `owner` is the tenant, which has one turn at a time.
 */
@Injectable()
export class TemplateEngine implements OnApplicationShutdown {
  private readonly threads = new LimitedThreads<TemplateTask>({
    // Not relative to this file, which is also part of the bundled apps.
    module: import.meta.resolve('#libs/templates/thread.js'),
    ...{ threads: 2, timeMs: TIME_MS, patienceMs: 3_000, memoryMb: 64, what: 'templates' },
  });

  /** What a template includes, and what is wrong with it. @throws Problem 503. */
  async inspect(owner: string, template: TemplateText): Promise<Inspection> {
    const found = await this.run<Inspection>(owner, { inspect: template });
    return found ?? { partials: [], faults: [TOO_COSTLY] };
  }

  /** What a template makes of data, or what is wrong with it. @throws Problem 503. */
  async render(owner: string, rendering: Rendering): Promise<RenderOutcome> {
    return (await this.run<RenderOutcome>(owner, { render: rendering })) ?? { faults: [TOO_COSTLY] };
  }

  onApplicationShutdown(): Promise<void> {
    return this.threads.close();
  }

  /** Null if it takes too much. */
  private async run<T>(owner: string, task: TemplateTask): Promise<T | null> {
    try {
      return (await this.threads.run(owner, task)) as T; // as `thread.ts` answers
    } catch (error) {
      if (error instanceof TaskTooCostly) return null;
      throw error;
    }
  }
}
