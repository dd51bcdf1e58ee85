import { Body, Controller, Get, Param, Patch, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import {
  NumberSeriesPage,
  NumberSeriesView,
  SERIES_EXAMPLE,
  SERIES_PARAMS,
  UpdateNumberSeries,
} from './number-series.dto.js';
import { NumberSeriesService } from './number-series.service.js';

@Controller('api/settings/number-series')
export class NumberSeriesController {
  constructor(private readonly series: NumberSeriesService) {}

  @Route({
    id: 'settings.number_series.list',
    summary: 'List number series',
    description: 'Document numbers, without gaps, and record references.',
    permission: 'settings:read',
    query: PageQuery,
    answer: NumberSeriesPage,
    problems: ['cursor_invalid'],
    tag: 'settings number series',
  })
  @Get()
  list(@Query() query: PageQuery) {
    return this.series.list(query);
  }

  @Route({
    id: 'settings.number_series.get',
    summary: 'Read a number series',
    permission: 'settings:read',
    params: SERIES_PARAMS,
    answer: NumberSeriesView,
    record: true,
    example: { answer: SERIES_EXAMPLE },
    tag: 'settings number series',
  })
  @Get(':id')
  get(@Param('id') key: string) {
    return this.series.get(key);
  }

  @Route({
    id: 'settings.number_series.update',
    summary: 'Change a number series',
    description:
      'Changes how future documents are numbered; existing numbers stay. Returns 409 `number_used` if a number could be assigned twice, for example with the same pattern and a different reset, or with the pattern that another series has or had. This changes the setting `finance.series`.',
    permission: 'settings.finance:manage',
    params: SERIES_PARAMS,
    body: UpdateNumberSeries,
    answer: NumberSeriesView,
    record: true,
    problems: ['stale_version', 'record_locked', 'number_used', 'in_use'],
    example: {
      body: { pattern: 'RE-{YYYY}-{seq:4}' },
      answer: { ...SERIES_EXAMPLE, pattern: 'RE-{YYYY}-{seq:4}', preview: 'RE-2026-0042' },
    },
    tag: 'settings number series',
  })
  @Patch(':id')
  update(@Param('id') key: string, @Body() patch: UpdateNumberSeries) {
    return this.series.update(key, patch);
  }
}
