import { extname } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { ContentUse } from '#libs/files/file-contents.js';
import { Clock } from '#libs/kernel/clock.js';
import { cut } from '#libs/kernel/cut.js';
import { MINUTE_MS } from '#libs/kernel/durations.js';
import { NIL_UUID, uuidv7 } from '#libs/kernel/id.js';
import { MasterKeys } from '#libs/sealing/master-keys.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { PublicUrl } from '../public-url.js';
import { bytesOfId, idOfBytes, readToken, signedToken } from './signed-token.js';

const PURPOSE = 'links of files';
const ID_BYTES = 16;
/** Tenant, content, object, id of a link that is good once; time of expiry; whether it is shown. */
const HEAD_BYTES = 4 * ID_BYTES + 6 + 1;
/** A token has to fit into a segment of a path. */
const MAX_NAME_BYTES = 180;
const MAX_NAME = 45;

/** What a link opens. */
export interface LinkedContent {
  tenantId: string;
  contentId: string;
  /** What the content has to be used by when the link is opened. */
  use: ContentUse;
  name: string;
  inline: boolean;
  /** Id of a link that is good once; null for any other. */
  onceId: string | null;
}

/** Addresses of contents that need no credential, for some minutes. */
@Injectable()
export class FileLinks {
  constructor(
    private readonly masterKeys: MasterKeys,
    private readonly url: PublicUrl,
    private readonly clock: Clock,
  ) {}

  /**
   * A link to a content of the tenant in scope. It opens the content for `minutes`, as long as `use` uses it, and only
   * one time if it is good `once`. A long name is shortened.
   */
  make(what: { contentId: string; use: ContentUse; name: string; inline: boolean; once: boolean; minutes: number }): {
    url: string;
    expiresAt: string;
  } {
    const expiresMs = this.clock.nowMs() + what.minutes * MINUTE_MS;
    const head = Buffer.alloc(HEAD_BYTES);
    const ids = [currentTenant().id, what.contentId, what.use.id, what.once ? uuidv7() : NIL_UUID];
    ids.forEach((id, index) => bytesOfId(id).copy(head, index * ID_BYTES));
    head.writeUIntBE(expiresMs, 4 * ID_BYTES, 6);
    head[HEAD_BYTES - 1] = what.inline ? 1 : 0;
    const payload = Buffer.concat([head, Buffer.from(`${what.use.object}/${shortName(what.name)}`)]);
    const token = signedToken(this.masterKeys.derived(PURPOSE)[0], payload);
    return { url: this.url.to(`/api/files/${token}`), expiresAt: new Date(expiresMs).toISOString() };
  }

  /** What a token opens; null for one that we did not make, or that has expired. */
  read(token: string): LinkedContent | null {
    const payload = readToken(this.masterKeys.derived(PURPOSE), token);
    if (!payload || payload.length <= HEAD_BYTES) return null;
    if (payload.readUIntBE(4 * ID_BYTES, 6) <= this.clock.nowMs()) return null;
    const idAt = (index: number): string => idOfBytes(payload.subarray(index * ID_BYTES, (index + 1) * ID_BYTES));
    const [object, name] = payload
      .subarray(HEAD_BYTES)
      .toString()
      .split(/\/(.*)/s) as [string, string];
    const once = idAt(3);
    return {
      tenantId: idAt(0),
      contentId: idAt(1),
      use: { object, id: idAt(2) },
      name,
      inline: payload[HEAD_BYTES - 1] === 1,
      onceId: once === NIL_UUID ? null : once,
    };
  }
}

/** The name, or its beginning and its extension. */
function shortName(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  const extension = cut(extname(name), 10);
  return cut(name, MAX_NAME - 10) + extension;
}
