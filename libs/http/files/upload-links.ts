import { Injectable } from '@nestjs/common';
import { Clock } from '#libs/kernel/clock.js';
import { MasterKeys } from '#libs/sealing/master-keys.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { PublicUrl } from '../public-url.js';
import { bytesOfId, idOfBytes, readToken, signedToken } from './signed-token.js';

const PURPOSE = 'links of uploads';
const ID_BYTES = 16;

/** Addresses that take the bytes of an announced file, without a credential. */
@Injectable()
export class UploadLinks {
  constructor(
    private readonly masterKeys: MasterKeys,
    private readonly url: PublicUrl,
    private readonly clock: Clock,
  ) {}

  /** The address for a file of the tenant in scope, until an instant. */
  make(fileId: string, expiresAt: string): string {
    const expires = Buffer.alloc(6);
    expires.writeUIntBE(Date.parse(expiresAt), 0, 6);
    const payload = Buffer.concat([bytesOfId(currentTenant().id), bytesOfId(fileId), expires]);
    return this.url.to(`/api/files/${signedToken(this.masterKeys.derived(PURPOSE)[0], payload)}`);
  }

  /** The file of an address; null for one that we did not make, or that has expired. */
  read(token: string): { tenantId: string; fileId: string } | null {
    const payload = readToken(this.masterKeys.derived(PURPOSE), token);
    if (payload?.length !== 2 * ID_BYTES + 6 || payload.readUIntBE(2 * ID_BYTES, 6) <= this.clock.nowMs()) return null;
    return {
      tenantId: idOfBytes(payload.subarray(0, ID_BYTES)),
      fileId: idOfBytes(payload.subarray(ID_BYTES, 2 * ID_BYTES)),
    };
  }
}
