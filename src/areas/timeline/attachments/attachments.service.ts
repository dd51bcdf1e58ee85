import { Injectable } from '@nestjs/common';
import type { Deleted } from '#libs/resource/types/record.dto.js';
import type { Place } from '#libs/resource/access/record-subjects.js';
import { TimelineKit } from '../timeline-kit.js';
import { refuseArchived } from '#libs/resource/access/record-subjects.js';
import { TimelineService } from '../timeline.service.js';
import { AttachmentView, type CreateAttachment } from './attachment.dto.js';
import type { Attachment } from './attachment.entity.js';
import { AttachmentsRepository } from './attachments.repository.js';

/** Metadata of files that belong to a record. The files themselves are stored elsewhere. */
@Injectable()
export class AttachmentsService extends TimelineService<Attachment, AttachmentView> {
  constructor(
    kit: TimelineKit,
    protected override readonly repository: AttachmentsRepository,
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

  /** @throws Problem 409 `record_locked` for an archived record. */
  async create(place: Place, input: CreateAttachment): Promise<AttachmentView> {
    const subject = await this.kit.subjects.atFor(place, 'attachments:write');
    refuseArchived(subject);
    return this.unit(async (transaction) => {
      const { fileName, contentType, sizeBytes, sha256 = null, url = null, label = null } = input;
      return this.add(transaction, subject, {
        ...this.stamp(subject),
        fileName,
        contentType,
        sizeBytes,
        sha256,
        url,
        label,
      });
    });
  }

  /** @throws Problem 409 `record_locked` for an archived record; 423 if a legal hold covers the record. */
  async remove(place: Place, id: string): Promise<Deleted> {
    const subject = await this.kit.subjects.atFor(place, 'attachments:write');
    refuseArchived(subject);
    return this.unit(async (transaction) => {
      const row = await this.lock(transaction, subject, id);
      this.refuseHeld(transaction, subject);
      return this.erase(transaction, subject, row, this.repository.erase(row));
    });
  }

  protected present(row: Attachment): AttachmentView {
    const { fileName, contentType, sizeBytes, sha256, url, label } = row;
    return { ...this.base(row), fileName, contentType, sizeBytes, sha256, url, label };
  }
}
