import { Field, flag, integer, listOf, nested, oneOf } from '#libs/http/field.js';
import { type BlockKey, BLOCKS } from '../block-keys.js';
import { RecordLink } from '../record-link.js';
import { BlockPlace, FavouriteName, MAX_FAVOURITES } from './home-page.js';

export class SetFavourites {
  @Field(listOf(nested(FavouriteName), { max: MAX_FAVOURITES }), {
    description: 'All favourites, in order. Replaces the existing ones that your credential can see.',
    example: [{ object: 'sales.deal', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20' }],
  })
  items!: FavouriteName[];
}

export class Favourites {
  @Field(listOf(nested(RecordLink), { max: MAX_FAVOURITES }), { description: 'The favourites, in order.' })
  items!: RecordLink[];
}

export class BlockChoice {
  @Field(oneOf(BLOCKS), { description: 'Key of the block.', example: 'tasks' })
  key!: BlockKey;

  @Field(flag(), { description: 'Whether the home page omits the block; false by default.', optional: true })
  hidden?: boolean;

  @Field(integer({ min: 0, max: 1_000 }), {
    description: 'Blocks are sorted by this number; by default the index in the list, from 0.',
    example: 0,
    optional: true,
  })
  position?: number;
}

export class SetLayout {
  @Field(listOf(nested(BlockChoice), { max: BLOCKS.length }), {
    description: 'Blocks, each at most once. The others follow in their usual order, visible.',
    example: [{ key: 'tasks', hidden: false, position: 0 }],
  })
  blocks!: BlockChoice[];
}

export class Layout {
  @Field(listOf(nested(BlockPlace), { max: BLOCKS.length }), { description: 'All blocks, in order.' })
  blocks!: BlockPlace[];
}
