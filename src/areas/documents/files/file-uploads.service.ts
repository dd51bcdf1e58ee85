import { createHash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { requirePermission } from '#libs/auth/current-principal.js';
import { Guarantors } from '#libs/auth/guarantors.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { UploadLinks } from '#libs/http/files/upload-links.js';
import { TokenLimits } from '#libs/http/token-limits.js';
import { BYTES } from '#libs/http/uploads/upload-bodies.js';
import type { Upload } from '#libs/http/uploads/upload.js';
import { Problem } from '#libs/kernel/problem.js';
import { FILE_TYPE } from '#libs/resource/files/file-uses.js';
import { currentScope, runAsSystem, type TenantFacts } from '#libs/tenancy/scope.js';
import type { FileUpload, StoredFile } from './file.js';
import { FilesService } from './files.service.js';

const TENANT = `select id, slug, plan, currency, epoch::text as epoch from directory.find_served_tenant($1)`;

/** Takes the bytes of announced files, at addresses that need no credential. */
@Injectable()
export class FileUploadsService implements OnModuleInit {
  constructor(
    private readonly files: FilesService,
    private readonly links: UploadLinks,
    private readonly limits: TokenLimits,
    private readonly guarantors: Guarantors,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.files.uploadOf = (file) => this.uploadOf(file);
  }

  /**
   * Takes the bytes of the file that a token stands for, if whoever announced them may still upload files.
   * @throws Problem 404 for a token that stands for nothing, 403, 409, 422, 429, 503.
   */
  async take(token: string, upload: Upload): Promise<string> {
    await this.limits.admit('file_upload', createHash('sha256').update(token).digest());
    const target = this.links.read(token);
    const tenant = target && (await this.tenantOf(target.tenantId));
    if (!tenant) throw await this.limits.failure(new Problem('not_found', 'There is no such upload.'));
    const { requestId } = currentScope();
    await runAsSystem(tenant, 'file upload', requestId, async () => {
      const { guarantor, confidential, status } = await this.files.records.readPlainly(target.fileId);
      if (status !== 'uploading' || guarantor === null)
        throw new Problem('file_not_available', 'The bytes of this file have arrived already.');
      await this.guarantors.check(guarantor, `upload of ${target.fileId}`, async () => {
        requirePermission('files:write', { object: FILE_TYPE });
      });
      await this.files.arrive(target.fileId, await upload.store({ sealed: confidential }));
    });
    return target.fileId;
  }

  private uploadOf({ id, uploadUntil }: StoredFile): FileUpload {
    const expiresAt = uploadUntil!; // an announced file has one
    return { url: this.links.make(id, expiresAt), method: 'PUT', headers: { 'content-type': BYTES }, expiresAt };
  }

  private async tenantOf(id: string): Promise<TenantFacts | null> {
    const [tenant] = await this.database.systemRead<TenantFacts>(statement(TENANT, [id]));
    return tenant ?? null;
  }
}
