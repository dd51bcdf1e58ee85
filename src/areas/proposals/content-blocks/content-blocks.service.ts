import { Injectable } from '@nestjs/common';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { type ContentBlock, contentBlocks } from './content-block.js';

@Injectable()
export class ContentBlocksService {
  readonly records: Records<ContentBlock>;

  constructor(kit: ResourceKit) {
    this.records = Records.of(contentBlocks, kit, {});
  }
}
