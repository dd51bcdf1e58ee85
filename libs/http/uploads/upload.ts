import type { Content, FileContents } from '#libs/files/file-contents.js';
import type { Received } from '#libs/files/receiving.js';

/** A file that has arrived with a request. Its bytes are local until they are stored. */
export class Upload {
  private stored: Promise<Content> | null = null;

  constructor(
    private readonly contents: FileContents,
    readonly received: Received,
  ) {}

  /** Stores the bytes; a handler that starts over gets the same content again. @throws Problem 503. */
  store(options: { sealed: boolean }): Promise<Content> {
    return (this.stored ??= this.contents.store(this.received, options).catch((error: unknown) => {
      this.stored = null;
      throw error;
    }));
  }

  /** Ends it; what was not stored is gone. */
  async discard(): Promise<void> {
    await this.stored?.catch(() => undefined);
    await this.contents.discard(this.received);
  }
}
