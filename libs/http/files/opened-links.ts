import { Injectable } from '@nestjs/common';
import type { ContentUse } from '#libs/files/file-contents.js';

/** Notes that a link that is good once is opened, before its bytes are sent. */
type Note = (objectId: string) => Promise<void>;

/** Tells whoever made them that links are opened which are good once. */
@Injectable()
export class OpenedLinks {
  private readonly notes = new Map<string, Note>();

  /** @param object type key of what uses the contents */
  tell(object: string, note: Note): void {
    this.notes.set(object, note);
  }

  async opened({ object, id }: ContentUse): Promise<void> {
    await this.notes.get(object)?.(id);
  }
}
