import type { IncomingMessage } from 'node:http';
import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { firstValueFrom, from, type Observable } from 'rxjs';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { FileContents } from '#libs/files/file-contents.js';
import { type Received, tooLarge } from '#libs/files/receiving.js';
import { Problem } from '#libs/kernel/problem.js';
import { fieldsOf, type ModelClass } from '../field.js';
import { readQuery } from '../validation.js';
import { bytesFrom } from './bytes-from.js';
import { type Form, readForm } from './multipart-form.js';
import { Upload } from './upload.js';

/** Room for the other parts of a form. */
const FORM_BYTES = 65_536;

/**
 * Receives the file of a request before its idempotency key is looked at, which stands for the bytes too: size and hash
 * become part of the body. What the handler does not store is gone at the end.
 */
@Injectable()
export class UploadInterceptor implements NestInterceptor {
  constructor(
    private readonly contents: FileContents,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { uploadStream } = request;
    return uploadStream ? from(this.run(request, uploadStream, next)) : next.handle();
  }

  private async run(request: FastifyRequest, stream: IncomingMessage, next: CallHandler): Promise<unknown> {
    const upload = new Upload(this.contents, await this.receive(request, stream));
    request.upload = upload;
    const { sizeBytes, sha256 } = upload.received;
    request.body = { ...(request.body as object), sizeBytes, sha256 };
    try {
      return await firstValueFrom<unknown>(next.handle());
    } finally {
      await upload.discard();
    }
  }

  private async receive(request: FastifyRequest, stream: IncomingMessage): Promise<Received> {
    const { upload } = request.route!;
    const maxBytes = this.settings.FILE_MAX_BYTES;
    const announced = Number(request.headers['content-length'] ?? 0);
    const isForm = typeof upload === 'object';
    if (announced > maxBytes + (isForm ? FORM_BYTES : 0)) throw tooLarge(maxBytes);
    if (!isForm) return this.contents.receive(bytesFrom(stream), { maxBytes });
    return readForm(
      stream,
      async (form, bytes) => {
        request.body = valuesOf(form, upload.form);
        return this.contents.receive(bytes, { maxBytes });
      },
      (received) => this.contents.discard(received),
    );
  }
}

/** The parts of a form besides the file. A file without a name has that of the client. @throws Problem 400. */
function valuesOf({ fields, fileName }: Form, form: ModelClass): Record<string, unknown> {
  const isNamed = fields['name'] !== undefined || fileName === null || !fieldsOf(form).has('name');
  const named = isNamed ? fields : { ...fields, name: fileName };
  const { values, violations } = readQuery(form, named);
  if (violations.length === 0) return values;
  throw Problem.validation(
    violations.map(({ parameter = '', code, detail }) => ({
      pointer: `/${parameter}`,
      code: code === 'unknown_parameter' ? 'unknown_field' : code,
      detail,
    })),
  );
}
