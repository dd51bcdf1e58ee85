import { Field, id, integer, text } from '#libs/http/field.js';
import { listQuery } from '#libs/resource/lists/list-query.js';
import { pageOf } from '#libs/resource/types/record.dto.js';
import { timelineList, TimelineView } from '../timeline.dto.js';

/** Without slashes, so that a file name can never escape its folder. */
const FILE_NAME = text({ min: 1, max: 255, pattern: /^[^/\\]*[^/\\.\s][^/\\]*$/ });
const CONTENT_TYPE = text({ min: 3, max: 127, pattern: /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/ });
const SIZE = integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const SHA256 = text({ max: 64, pattern: /^[0-9a-f]{64}$/, form: '64 hexadecimal digits in lower case' });
const URL_TEXT = text({
  max: 2_000,
  pattern: /^https?:\/\/\S+$/,
  form: 'a URL that starts with http:// or https://',
});
const LABEL = text({ min: 1, max: 200, pattern: /\S/ });
const FILE_EXAMPLE = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40';
const SHA256_EXAMPLE = '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7';

export class CreateAttachment {
  @Field(id(), {
    description: 'File (`/api/v1/documents/files`) that you may read. Whoever sees the record may then read it.',
    example: FILE_EXAMPLE,
  })
  fileId!: string;

  @Field(LABEL, {
    description: 'Short description of the file.',
    example: 'Signed offer',
    optional: true,
    nullable: true,
  })
  label?: string | null;
}

export class AttachmentView extends TimelineView {
  @Field(id(), {
    description:
      'The attached file; null for an attachment from before there were files; `url` may say where its file is.',
    example: FILE_EXAMPLE,
    nullable: true,
  })
  fileId!: string | null;

  @Field(FILE_NAME, { description: 'Name of the file.', example: 'offer.pdf' })
  fileName!: string;

  @Field(CONTENT_TYPE, { description: 'Media type.', example: 'application/pdf' })
  contentType!: string;

  @Field(SIZE, { description: 'Size in bytes.', example: 48_213 })
  sizeBytes!: number;

  @Field(SHA256, { description: 'SHA-256 of the file, hexadecimal.', example: SHA256_EXAMPLE, nullable: true })
  sha256!: string | null;

  @Field(URL_TEXT, {
    description: 'URL of an attachment without `fileId`.',
    example: null,
    nullable: true,
  })
  url!: string | null;

  @Field(LABEL, { description: 'Short description of the file.', example: 'Signed offer', nullable: true })
  label!: string | null;
}

export const AttachmentPage = pageOf(AttachmentView);
export const AttachmentListQuery = listQuery('AttachmentListQuery', timelineList);
