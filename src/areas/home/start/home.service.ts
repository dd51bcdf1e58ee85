import { Injectable } from '@nestjs/common';
import { arranged } from '../pages/layout.js';
import { HomePagesService } from '../pages/home-pages.service.js';
import { BlockReader } from './block-reader.js';
import type { Home } from './home.dto.js';
import { HomeBlocks } from './home-blocks.js';
import { Moments } from './moment.js';

/** The home page of a caller. */
@Injectable()
export class HomeService {
  constructor(
    private readonly moments: Moments,
    private readonly pages: HomePagesService,
    private readonly blocks: HomeBlocks,
    private readonly reader: BlockReader,
  ) {}

  /** Blocks that the person hides, or for which the caller lacks the rights, are absent and not read. */
  async read(): Promise<Home> {
    const moment = await this.moments.current();
    const page = await this.pages.find();
    const visit = { ...moment, favourites: page?.favourites ?? [] };
    const order = arranged(page?.layout ?? [])
      .filter(({ key, hidden }) => !hidden && this.blocks.sources[key].isOpen())
      .map(({ key }) => key);
    const blocks = await this.reader.read(
      order.map((key) => [key, () => this.blocks.sources[key].read(visit)] as const),
    );
    return { ...moment, order, ...blocks };
  }
}
