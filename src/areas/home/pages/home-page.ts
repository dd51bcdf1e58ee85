import { VersionedRow } from '#libs/database/tenant-row.js';
import { Field, flag, id, integer, listOf, nested, oneOf } from '#libs/http/field.js';
import { typeKey } from '#libs/resource/lists/stored-filter.js';
import { ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { type BlockKey, BLOCKS } from '../block-keys.js';

/** Maximum number of favourites of a person. */
export const MAX_FAVOURITES = 50;

export class FavouriteName {
  @Field(typeKey(), { description: 'Type of the record.', example: 'sales.deal' })
  object!: string;

  @Field(id(), { description: 'Id of the record.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20' })
  id!: string;
}

export class BlockPlace {
  @Field(oneOf(BLOCKS), { description: 'Key of the block.', example: 'tasks' })
  key!: BlockKey;

  @Field(flag(), { description: 'Whether the home page omits the block.', example: false })
  hidden!: boolean;

  @Field(integer({ min: 0, max: BLOCKS.length - 1 }), { description: 'Position, from 0.', example: 1 })
  position!: number;
}

/** What a person has chosen for the home page. Its id is that of the membership. */
export class HomePage extends VersionedRow {
  @ReadOnly(listOf(nested(FavouriteName), { max: MAX_FAVOURITES }), 'Favourites, in order.', {
    example: [{ object: 'sales.deal', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20' }],
  })
  favourites!: FavouriteName[];

  @ReadOnly(listOf(nested(BlockPlace), { max: BLOCKS.length }), 'All blocks, in order; empty for the usual order.', {
    example: [{ key: 'tasks', hidden: false, position: 0 }],
  })
  layout!: BlockPlace[];
}

export const homePages = governedType(HomePage, {
  type: 'home.page',
  noun: 'home page',
  table: 'data.home_pages',
  path: '/api/home',
  names: { favourites: 'favourites_changed' },
  hasPath: false,
  risk: 'low',
  events: {
    favourites_changed: 'A person changed their favourites.',
    layout_changed: 'A person changed the layout of their home page.',
  },
});
