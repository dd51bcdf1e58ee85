import { Controller, Param, Put, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { text } from '#libs/http/field.js';
import { Route } from '#libs/http/route.js';
import { UploadedFile } from './file.requests.js';
import { FileUploadsService } from './file-uploads.service.js';

@Controller('api/files')
export class FileUploadsController {
  constructor(private readonly uploads: FileUploadsService) {}

  @Route({
    id: 'documents.uploads.take',
    summary: 'Upload the bytes of an announced file',
    description:
      'To the address in `upload` of the response that announced it, without a credential. The bytes must have the announced size and hash. Whoever announced them must still be allowed to upload files.',
    permission: 'public',
    params: { token: { kind: text({ min: 1, max: 500 }), description: 'The token from the address.' } },
    upload: 'bytes',
    keyless: true,
    answer: UploadedFile,
    problems: [
      'not_found',
      'permission_denied',
      'file_not_available',
      'invalid_transition',
      'payload_too_large',
      'upload_mismatch',
      'rate_limit_exceeded',
      'unavailable',
    ],
    tag: 'documents files',
  })
  @Put(':token')
  async take(@Param('token') token: string, @Req() { upload }: FastifyRequest): Promise<UploadedFile> {
    return { id: await this.uploads.take(token, upload!) }; // the guard refuses a request without one
  }
}
