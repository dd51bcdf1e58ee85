import { Body, Controller, Post } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { DataSubject, SubjectFindings } from './subject.dto.js';
import { SubjectSearchService } from './subject-search.service.js';

@Controller('api/data-export/subject-search')
export class SubjectSearchController {
  constructor(private readonly subjects: SubjectSearchService) {}

  @Route({
    id: 'data_export.subject_search.run',
    summary: 'Find where a person appears',
    description:
      'Finds the contacts, leads, candidates, employees, members and invitations with an address, those that these are linked with, and what names them or records that are part of them: as far as you may see it, and in the trash too if you may see that. Each search is logged.',
    permission: 'data-exports:request',
    safe: true,
    body: DataSubject,
    answer: SubjectFindings,
    tag: 'data export',
    example: { body: { email: 'ana@example.com' } },
  })
  @Post()
  search(@Body() subject: DataSubject) {
    return this.subjects.search(subject);
  }
}
