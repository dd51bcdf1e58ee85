import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LimitedThreads, TaskTooCostly } from '#libs/threads/limited-threads.js';
import { PDF_TIME_MS, type PdfOptions, type PdfOutcome } from './pdf.js';
import type { PdfTask } from './thread.js';

/**
 * Prints texts as PDF, in a thread of its own, so no text blocks or ends the process. `owner` is the tenant, which has one
 * turn at a time.
 */
@Injectable()
export class PdfRenderer implements OnApplicationShutdown {
  private readonly threads = new LimitedThreads<PdfTask>({
    // Not relative to this file, which is also part of the bundled apps.
    module: import.meta.resolve('#libs/pdf/thread.js'),
    ...{ threads: 1, timeMs: PDF_TIME_MS, patienceMs: 4 * PDF_TIME_MS, memoryMb: 320, what: 'documents' },
  });

  /** What comes of a text, or why it cannot be printed. @throws Problem 503 if too many are waiting. */
  async render(owner: string, source: string, options: PdfOptions): Promise<PdfOutcome> {
    try {
      return (await this.threads.run(owner, { source, options })) as PdfOutcome; // as `thread.ts` answers
    } catch (error) {
      if (!(error instanceof TaskTooCostly)) throw error;
      return {
        fault: {
          code: 'pdf_too_costly',
          detail: `It takes more than ${PDF_TIME_MS} ms of computing time, or too much memory.`,
        },
      };
    }
  }

  onApplicationShutdown(): Promise<void> {
    return this.threads.close();
  }
}
