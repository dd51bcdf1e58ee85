import { Field, id, instant, integer, text } from '#libs/http/field.js';
import { MAX_VERSIONS } from './file.js';

const number = () => integer({ min: 1, max: MAX_VERSIONS });

export class FileContentQuery {
  @Field(number(), { description: 'Number of a version; the current one by default.', optional: true })
  version?: number;
}

export class FileLinkView {
  @Field(text({ max: 2_000 }), {
    description: 'Address of the bytes, without a credential.',
    example: 'https://api.example.com/api/files/eXampl3',
  })
  url!: string;

  @Field(instant(), { description: 'When it stops working.', example: '2026-11-21T09:30:02.114Z' })
  expiresAt!: string;
}

/** A form with nothing but a file. */
export class FileOnlyForm {}

export class RestoreFileVersion {
  @Field(number(), { description: 'Number of the version that becomes the current one.', example: 1 })
  version!: number;
}

/** Response to the bytes of an announced file. */
export class UploadedFile {
  @Field(id(), { description: 'Id of the file.' })
  id!: string;
}
