import { Controller, Get, Param, Query } from '@nestjs/common';
import { Route, type RouteOptions } from '#libs/http/route.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import {
  PROCESS_PARAMS,
  ProcessBottlenecks,
  ProcessCasePage,
  ProcessCaseQuery,
  ProcessGraph,
  ProcessPage,
  ProcessQuery,
  ProcessRework,
  ProcessVariants,
} from './process.dto.js';
import { ProcessesService } from './processes.service.js';

const COMMON = {
  permission: 'process-intelligence:read',
  tag: 'process intelligence',
} as const satisfies Partial<RouteOptions>;
const ONE = {
  ...COMMON,
  besides: [{ scope: '*:read', when: 'Always: the read permission of the type.' }],
  params: PROCESS_PARAMS,
  problems: ['not_found'],
} as const satisfies Partial<RouteOptions>;

@Controller('api/process-intelligence/processes')
export class ProcessesController {
  constructor(private readonly service: ProcessesService) {}

  @Route({
    ...COMMON,
    id: 'process_intelligence.processes.list',
    summary: 'List processes',
    description:
      'Every type of record with more than one state is a process. Returns those whose records you may read.',
    query: PageQuery,
    answer: ProcessPage,
    problems: ['cursor_invalid'],
  })
  @Get()
  list(@Query() query: PageQuery) {
    return this.service.list(query);
  }

  @Route({
    ...ONE,
    id: 'process_intelligence.processes.graph',
    summary: 'Draw a process as a graph',
    description:
      'The directly-follows graph of the records created within the span: steps as nodes, moves as edges, with counts and times.',
    query: ProcessQuery,
    answer: ProcessGraph,
  })
  @Get(':key/graph')
  graph(@Param('key') key: string, @Query() query: ProcessQuery): Promise<ProcessGraph> {
    return this.service.graph(key, query);
  }

  @Route({
    ...ONE,
    id: 'process_intelligence.processes.variants',
    summary: 'List the variants of a process',
    description:
      'The different paths of the records created within the span. List the records of one with `/cases?variant=`.',
    query: ProcessQuery,
    answer: ProcessVariants,
  })
  @Get(':key/variants')
  variants(@Param('key') key: string, @Query() query: ProcessQuery): Promise<ProcessVariants> {
    return this.service.variants(key, query);
  }

  @Route({
    ...ONE,
    id: 'process_intelligence.processes.bottlenecks',
    summary: 'Find the bottlenecks of a process',
    description:
      'The steps in which the records created within the span spent the most time, including the time of those that are still there.',
    query: ProcessQuery,
    answer: ProcessBottlenecks,
  })
  @Get(':key/bottlenecks')
  bottlenecks(@Param('key') key: string, @Query() query: ProcessQuery): Promise<ProcessBottlenecks> {
    return this.service.bottlenecks(key, query);
  }

  @Route({
    ...ONE,
    id: 'process_intelligence.processes.rework',
    summary: 'Measure the rework in a process',
    description: 'Returns of records to a step that they had left before, with the time that each return cost.',
    query: ProcessQuery,
    answer: ProcessRework,
  })
  @Get(':key/rework')
  rework(@Param('key') key: string, @Query() query: ProcessQuery): Promise<ProcessRework> {
    return this.service.rework(key, query);
  }

  @Route({
    ...ONE,
    id: 'process_intelligence.processes.cases',
    summary: 'List the cases of a process',
    description: 'The records behind the figures: those created within the span that have moved at least once.',
    query: ProcessCaseQuery,
    answer: ProcessCasePage,
    problems: ['not_found', 'cursor_invalid'],
  })
  @Get(':key/cases')
  cases(@Param('key') key: string, @Query() query: ProcessCaseQuery) {
    return this.service.cases(key, query);
  }
}
