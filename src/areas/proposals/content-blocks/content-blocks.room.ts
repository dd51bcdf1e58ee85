import type { Room } from '../../area.js';
import { contentBlocks } from './content-block.js';
import { ContentBlocksService } from './content-blocks.service.js';

export const contentBlocksRoom: Room = { type: contentBlocks, service: ContentBlocksService };
