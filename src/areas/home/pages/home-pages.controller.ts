import { Body, Controller, Get, Put } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { homePages, MAX_FAVOURITES } from './home-page.js';
import { Favourites, Layout, SetFavourites, SetLayout } from './home-page.dto.js';
import { HomePagesService } from './home-pages.service.js';

const SHARED = { permission: 'any', ofPerson: true, tag: 'home' } as const;
const PERSON = 'Requires a session or a personal key.';

@Controller(homePages.path)
export class HomePagesController {
  constructor(private readonly pages: HomePagesService) {}

  @Route({
    ...SHARED,
    id: 'home.favourites.get',
    summary: 'Read your favourites',
    description: `Only records that you can see now and that are not in the trash. ${PERSON}`,
    problems: ['permission_denied'],
    answer: Favourites,
  })
  @Get('favourites')
  favourites() {
    return this.pages.favourites();
  }

  @Route({
    ...SHARED,
    id: 'home.favourites.set',
    summary: 'Replace your favourites',
    description: `At most ${MAX_FAVOURITES} records of any types, in your order. A record that you cannot see is an \`unknown_reference\`. Favourites that you can see, but not with the key that you use, stay in their places. ${PERSON}`,
    problems: ['permission_denied'],
    body: SetFavourites,
    answer: Favourites,
  })
  @Put('favourites')
  setFavourites(@Body() { items }: SetFavourites) {
    return this.pages.setFavourites(items);
  }

  @Route({
    ...SHARED,
    id: 'home.layout.get',
    summary: 'Read the layout of your home page',
    description: PERSON,
    problems: ['permission_denied'],
    answer: Layout,
  })
  @Get('layout')
  layout() {
    return this.pages.layout();
  }

  @Route({
    ...SHARED,
    id: 'home.layout.set',
    summary: 'Replace the layout of your home page',
    description: `Sets the order of the blocks, and which ones \`GET /api/home\` omits. Hidden blocks are not computed. ${PERSON}`,
    problems: ['permission_denied'],
    body: SetLayout,
    answer: Layout,
  })
  @Put('layout')
  setLayout(@Body() { blocks }: SetLayout) {
    return this.pages.setLayout(blocks);
  }
}
