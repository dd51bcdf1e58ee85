import { Controller, Get } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { Home } from './home.dto.js';
import { HomeService } from './home.service.js';

@Controller('api/home')
export class HomeController {
  constructor(private readonly service: HomeService) {}

  @Route({
    id: 'home.page.get',
    summary: 'Read the home page',
    description: 'Each block has its own time and error, so the others are shown if one cannot be read.',
    permission: 'any',
    besides: [{ scope: '*:read', when: 'Always: a tile is shown only to callers who may read its items.' }],
    answer: Home,
    tag: 'home',
  })
  @Get()
  read(): Promise<Home> {
    return this.service.read();
  }
}
