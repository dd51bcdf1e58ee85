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
    description:
      'The blocks of the caller’s layout. Each has its own time and error: if one cannot be read within 5 seconds, the others are still returned. A block is absent if it is hidden in the layout (`PUT /api/home/layout`), if the caller lacks the permission for it, or if the tenant has disabled its area. Lists contain at most 20 records; the list of their type contains all of them.',
    permission: 'any',
    besides: [
      { scope: '*:read', when: 'Always: blocks and tiles contain only records that the caller may read.' },
      { scope: 'approvals:decide', when: 'For `approvals`.' },
      { scope: 'onboarding:read', when: 'For `onboarding`.' },
    ],
    answer: Home,
    tag: 'home',
  })
  @Get()
  read(): Promise<Home> {
    return this.service.read();
  }
}
