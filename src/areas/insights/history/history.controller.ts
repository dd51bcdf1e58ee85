import { Controller, Get, Param, Query } from '@nestjs/common';
import { Route, type RouteOptions } from '#libs/http/route.js';
import { ForecastQuery, HistoryQuery, METRIC_PARAMS, MetricForecast, MetricHistory } from './history.dto.js';
import { HistoryService } from './history.service.js';

const COMMON = {
  permission: 'scorecards:read',
  besides: [{ scope: '*:read', when: 'Always: the permission to read all items that the metric counts.' }],
  params: METRIC_PARAMS,
  problems: ['not_found'],
  tag: 'insights metrics',
} as const satisfies Partial<RouteOptions>;

@Controller('api/insights/metrics')
export class HistoryController {
  constructor(private readonly service: HistoryService) {}

  @Route({
    ...COMMON,
    id: 'insights.metrics.history',
    summary: 'Read the history of a metric',
    description:
      'Values by day, as they were recorded after the end of each day in the time zone of the tenant: metrics of the current state as of `recordedAt`, others over the day. Later changes of records do not change them. Only for callers who may see all counted items of the tenant; others get 404.',
    query: HistoryQuery,
    answer: MetricHistory,
  })
  @Get(':key/history')
  history(@Param('key') key: string, @Query() query: HistoryQuery): Promise<MetricHistory> {
    return this.service.history(key, query);
  }

  @Route({
    ...COMMON,
    id: 'insights.metrics.forecast',
    summary: 'Forecast a metric',
    description:
      'Daily values after the last recorded day, with the method, its errors in a back-test and an interval. Without enough history there is no forecast, and the response says why. For the same callers as the history.',
    query: ForecastQuery,
    answer: MetricForecast,
  })
  @Get(':key/forecast')
  forecast(@Param('key') key: string, @Query() query: ForecastQuery): Promise<MetricForecast> {
    return this.service.forecast(key, query);
  }
}
