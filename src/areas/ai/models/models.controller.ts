import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { parkedOf } from '#libs/resource/gates/approval.js';
import { models } from './model.js';
import { AiModelList, AiModelQuery, type ModelPatch, type NewModel } from './model.requests.js';
import { ModelChangesService } from './model-changes.service.js';
import { Models } from './models.service.js';
import { DeletedAiRecord } from './provider.requests.js';

const AiModelParked = parkedOf(models.view);

@Controller(models.path)
export class ModelsController {
  constructor(
    private readonly models: Models,
    private readonly changes: ModelChangesService,
  ) {}

  @Route({
    id: 'ai.models.list',
    summary: 'List AI models and kinds of jobs',
    description:
      'The models that jobs can use, the built-in one among them, with their prices; and what jobs can be about, with the JSON Schemas of input and output.',
    permission: 'ai-jobs:read',
    query: AiModelQuery,
    answer: AiModelList,
    problems: ['cursor_invalid'],
  })
  @Get()
  list(@Query() query: AiModelQuery) {
    return this.models.list(query);
  }

  @Route({
    id: 'ai.models.create',
    summary: 'Add an AI model',
    description:
      'A model of one of the tenant’s providers. Prices are the tenant’s to state; none are shipped. Where they wait at the gate `ai.price.change`, the model is made without them.',
    permission: 'ai-policy:manage',
    status: 201,
    body: models.create,
    answer: models.view,
    accepted: AiModelParked,
    record: true,
    problems: ['limit_reached', 'duplicate', 'gate_denied'],
    example: { answer: models.example },
  })
  @Post()
  create(@Body() input: NewModel) {
    return this.changes.create(input);
  }

  @Route({
    id: 'ai.models.get',
    summary: 'Read an AI model',
    permission: 'ai-jobs:read',
    answer: models.view,
    record: true,
    example: { answer: models.example },
  })
  @Get(':id')
  get(@Param('id') id: string) {
    return this.models.get(id);
  }

  @Route({
    id: 'ai.models.update',
    summary: 'Change an AI model, or add prices',
    description:
      'Prices are added and never change: the cost of a job can be recalculated years later. A patch with prices may have to wait for approval at the gate `ai.price.change`.',
    permission: 'ai-policy:manage',
    body: models.update,
    answer: models.view,
    accepted: AiModelParked,
    record: true,
    problems: ['record_locked', 'gate_denied', 'approval_pending'],
    example: {
      body: { prices: [{ from: '2027-01-01T00:00:00.000Z', inputMicrosPer1k: 120, outputMicrosPer1k: 480 }] },
      answer: models.example,
    },
  })
  @Patch(':id')
  update(@Param('id') id: string, @Body() patch: ModelPatch) {
    return this.changes.update(id, patch);
  }

  @Route({
    id: 'ai.models.delete',
    summary: 'Delete an AI model',
    description: 'Its prices stay, for the jobs that it has done. A model that an agent names cannot be deleted.',
    permission: 'ai-policy:manage',
    answer: DeletedAiRecord,
    problems: ['not_found', 'in_use', 'record_locked'],
  })
  @Delete(':id')
  remove(@Param('id') id: string) {
    return this.changes.remove(id);
  }
}
