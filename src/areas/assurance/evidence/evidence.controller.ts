import { Controller, Get, Param, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { EvidenceBundle, EvidenceQuery, StoredEvidenceQuery } from './evidence.dto.js';
import { EvidenceCatalog, EvidenceList } from './evidence-list.dto.js';
import { EvidenceListService } from './evidence-list.service.js';
import { EvidenceService } from './evidence.service.js';

@Controller('api/admin/compliance/evidence')
export class EvidenceController {
  constructor(
    private readonly service: EvidenceService,
    private readonly lists: EvidenceListService,
  ) {}

  @Route({
    id: 'admin.compliance_evidence.export',
    summary: 'Export a bundle of compliance evidence',
    description:
      'Collects evidence from live data, signs it, chains it to the previous bundle with the same framework and controls, and stores it. If a bundle with the same items is less than ten minutes old, that one is returned. `verify/evidence.mjs` verifies both formats offline. Each export is in the audit log.',
    permission: 'evidence:export',
    query: EvidenceQuery,
    answer: EvidenceBundle,
    downloads: ['application/zip'],
    problems: ['unavailable'],
    tag: 'admin compliance',
  })
  @Get()
  export(@Query() query: EvidenceQuery) {
    return this.service.export(query);
  }

  @Route({
    id: 'admin.compliance_evidence.bundles',
    summary: 'List the stored bundles of compliance evidence',
    description: 'Newest first. Download one again by its id. Each read is in the audit log.',
    permission: 'evidence:export',
    query: PageQuery,
    answer: EvidenceList,
    problems: ['cursor_invalid'],
    tag: 'admin compliance',
  })
  @Get('bundles')
  bundles(@Query() query: PageQuery) {
    return this.lists.bundles(query);
  }

  @Route({
    id: 'admin.compliance_evidence.controls',
    summary: 'List the frameworks and controls that there is evidence for',
    description: 'The values of `framework` and `controls` of an export.',
    permission: 'evidence:export',
    answer: EvidenceCatalog,
    tag: 'admin compliance',
  })
  @Get('controls')
  controls() {
    return this.lists.catalog();
  }

  @Route({
    id: 'admin.compliance_evidence.get',
    summary: 'Read a stored bundle of compliance evidence',
    description: 'The same bytes as when it was exported.',
    permission: 'evidence:export',
    query: StoredEvidenceQuery,
    answer: EvidenceBundle,
    downloads: ['application/zip'],
    problems: ['not_found'],
    tag: 'admin compliance',
  })
  @Get(':id')
  get(@Param('id') id: string, @Query() { format }: StoredEvidenceQuery) {
    return this.service.get(id, format);
  }
}
