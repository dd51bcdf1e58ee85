import { Injectable } from '@nestjs/common';
import { type FileFacts, type FileUse, FileUses } from '#libs/resource/files/file-uses.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import type { Deleted } from '#libs/resource/types/record.dto.js';
import type { Place } from '#libs/resource/access/record-subjects.js';
import { TimelineKit } from '../timeline-kit.js';
import { refuseArchived } from '#libs/resource/access/record-subjects.js';
import { TimelineService } from '../timeline.service.js';
import { AttachmentView, type CreateAttachment } from './attachment.dto.js';
import type { Attachment } from './attachment.entity.js';
import { AttachmentsRepository } from './attachments.repository.js';

/** Files that are attached to records. */
@Injectable()
export class AttachmentsService extends TimelineService<Attachment, AttachmentView> {
  constructor(
    kit: TimelineKit,
    protected override readonly repository: AttachmentsRepository,
    private readonly files: FileUses,
  ) {
    super(
      {
        type: 'core.attachment',
        noun: 'attachment',
        collection: 'attachments',
        view: AttachmentView,
        events: { created: 'A file was attached to a record.', deleted: 'An attachment was removed from a record.' },
      },
      kit,
      repository,
    );
  }

  /** A page of attachments, with what their files are now. @throws Problem 404 for a record that the caller cannot see. */
  override async list(place: Place, query: Record<string, unknown>): Promise<Page<AttachmentView>> {
    const { data, page } = await super.list(place, query);
    const facts = await this.files.facts(data.flatMap(({ fileId }) => fileId ?? []));
    return { data: data.map((each) => current(each, facts.get(each.fileId ?? ''))), page };
  }

  /** @throws Problem 400 for a file that the caller may not read, 409 `record_locked` for an archived record. */
  async create(place: Place, { fileId, label = null }: CreateAttachment): Promise<AttachmentView> {
    const subject = await this.kit.subjects.atFor(place, 'attachments:write');
    refuseArchived(subject);
    await this.files.requireReadable(fileId, '/fileId');
    return this.unit(async (transaction) => {
      const file = await this.files.lock(transaction, fileId, '/fileId');
      const row = {
        ...this.stamp(subject),
        fileId,
        fileName: file.name,
        contentType: file.mimeType ?? UNKNOWN_TYPE,
        sizeBytes: file.sizeBytes,
        sha256: file.sha256,
        url: null,
        label,
      };
      const view = this.add(transaction, subject, row);
      this.files.add(transaction, fileId, useOf(row));
      return view;
    });
  }

  /** @throws Problem 409 `record_locked` for an archived record; 423 if a legal hold covers the record. */
  async remove(place: Place, id: string): Promise<Deleted> {
    const subject = await this.kit.subjects.atFor(place, 'attachments:write');
    refuseArchived(subject);
    return this.unit(async (transaction) => {
      const row = await this.lock(transaction, subject, id);
      this.refuseHeld(transaction, subject);
      this.files.end(transaction, useOf(row));
      return this.erase(transaction, subject, row, this.repository.erase(row));
    });
  }

  protected present(row: Attachment): AttachmentView {
    const { fileId, fileName, contentType, sizeBytes, sha256, url, label } = row;
    return { ...this.base(row), fileId, fileName, contentType, sizeBytes, sha256, url, label };
  }
}

/** Until the bytes of an announced file have arrived. */
const UNKNOWN_TYPE = 'application/octet-stream';

function useOf({ object, recordId, id }: Attachment): FileUse {
  return { object, recordId, place: `attachments/${id}` };
}

function current(attachment: AttachmentView, file: FileFacts | undefined): AttachmentView {
  if (!file) return attachment;
  const { name: fileName, mimeType, sizeBytes, sha256 } = file;
  return { ...attachment, fileName, contentType: mimeType ?? UNKNOWN_TYPE, sizeBytes, sha256 };
}
