import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import type { ProblemCode } from '#libs/kernel/problem.js';
import { Deleted } from '#libs/resource/types/record.dto.js';
import { WebhookDeliveryPage, WebhookDeliveryQuery } from '../deliveries/delivery.dto.js';
import { DeliveriesService } from '../deliveries/deliveries.service.js';
import { EndpointWithSecret, RotatedWebhookSecret, RotateWebhookSecret } from './endpoint-actions.dto.js';
import { EndpointRotationService } from './endpoint-rotation.service.js';
import { endpoints } from './endpoint.js';
import {
  EndpointPage,
  type EndpointPatch,
  EndpointQuery,
  type NewEndpoint,
  UpdateEndpoint,
} from './endpoint.requests.js';
import { EndpointsService } from './endpoints.service.js';

const READ = 'webhooks:read';
const WRITE = 'webhooks:write';
const TRANSITION: ProblemCode[] = ['not_found', 'invalid_transition', 'version_mismatch'];

@Controller(endpoints.path)
export class EndpointsController {
  constructor(
    private readonly endpoints: EndpointsService,
    private readonly rotation: EndpointRotationService,
    private readonly deliveries: DeliveriesService,
  ) {}

  @Route({
    id: 'webhooks.endpoints.list',
    summary: 'List webhook endpoints',
    permission: READ,
    query: EndpointQuery,
    answer: EndpointPage,
    problems: ['cursor_invalid'],
  })
  @Get()
  list(@Query() query: Record<string, unknown>) {
    return this.endpoints.list(query);
  }

  @Route({
    id: 'webhooks.endpoints.create',
    summary: 'Create a webhook endpoint',
    description:
      'The answer shows the secret with which deliveries are signed. It cannot be read again. A tenant may have 3, 10, 50 or 500 endpoints, as its plan says.',
    permission: WRITE,
    status: 201,
    body: endpoints.create,
    answer: EndpointWithSecret,
    record: true,
    secretAnswer: true,
    problems: ['plan_limit_reached'],
  })
  @Post()
  create(@Body() input: NewEndpoint) {
    return this.endpoints.create(input);
  }

  @Route({
    id: 'webhooks.endpoints.get',
    summary: 'Read a webhook endpoint',
    permission: READ,
    answer: endpoints.view,
    record: true,
    problems: ['not_found'],
  })
  @Get(':id')
  get(@Param('id') id: string) {
    return this.endpoints.get(id);
  }

  @Route({
    id: 'webhooks.endpoints.update',
    summary: 'Change a webhook endpoint',
    description:
      'A JSON merge patch (RFC 7396). Attempts that follow go to the new URL, also those of older events; where its origin is another, the endpoint is no longer verified.',
    permission: WRITE,
    body: UpdateEndpoint,
    answer: endpoints.view,
    record: true,
    problems: ['not_found', 'version_mismatch'],
  })
  @Patch(':id')
  update(@Param('id') id: string, @Body() patch: EndpointPatch) {
    return this.endpoints.update(id, patch);
  }

  @Route({
    id: 'webhooks.endpoints.delete',
    summary: 'Delete a webhook endpoint',
    description: 'Deliveries that are open for it are skipped.',
    permission: WRITE,
    answer: Deleted,
    problems: ['not_found', 'version_mismatch'],
  })
  @Delete(':id')
  remove(@Param('id') id: string) {
    return this.endpoints.remove(id);
  }

  @Route({
    id: 'webhooks.endpoints.enable',
    summary: 'Enable a webhook endpoint',
    description:
      'Held events are sent, and its health is reset. If the operator requires it, the endpoint must be verified first.',
    permission: WRITE,
    answer: endpoints.view,
    record: true,
    problems: [...TRANSITION, 'blocked'],
  })
  @Post(':id/enable')
  enable(@Param('id') id: string) {
    return this.endpoints.act(id, 'enable');
  }

  @Route({
    id: 'webhooks.endpoints.disable',
    summary: 'Disable a webhook endpoint',
    description: 'Events that match meanwhile are held for it.',
    permission: WRITE,
    answer: endpoints.view,
    record: true,
    problems: TRANSITION,
  })
  @Post(':id/disable')
  disable(@Param('id') id: string) {
    return this.endpoints.act(id, 'disable');
  }

  @Route({
    id: 'webhooks.endpoints.pause',
    summary: 'Pause a webhook endpoint',
    description: 'Events that match meanwhile are held for it.',
    permission: WRITE,
    answer: endpoints.view,
    record: true,
    problems: TRANSITION,
  })
  @Post(':id/pause')
  pause(@Param('id') id: string) {
    return this.endpoints.act(id, 'pause');
  }

  @Route({
    id: 'webhooks.endpoints.rotate_secret',
    summary: 'Give a webhook endpoint a new secret',
    description: 'Until the grace is over, deliveries are also signed with the secret that is replaced.',
    permission: WRITE,
    body: RotateWebhookSecret,
    bodyOptional: true,
    answer: RotatedWebhookSecret,
    secretAnswer: true,
    problems: ['not_found', 'secret_rotation_in_progress', 'version_mismatch'],
  })
  @Post(':id/rotate-secret')
  rotateSecret(@Param('id') id: string, @Body() input: RotateWebhookSecret) {
    return this.rotation.rotate(id, input);
  }

  @Route({
    id: 'webhooks.endpoints.revoke_previous_secret',
    summary: 'Revoke the previous secret of a webhook endpoint',
    description: 'For a secret that others may know: attempts that follow are signed with the current one only.',
    permission: WRITE,
    answer: endpoints.view,
    record: true,
    problems: ['not_found', 'version_mismatch'],
  })
  @Delete(':id/previous-secret')
  revokePreviousSecret(@Param('id') id: string) {
    return this.rotation.revokePrevious(id);
  }

  @Route({
    id: 'webhooks.endpoints.deliveries',
    summary: 'List the deliveries to a webhook endpoint',
    permission: READ,
    query: WebhookDeliveryQuery,
    answer: WebhookDeliveryPage,
    problems: ['not_found', 'cursor_invalid'],
  })
  @Get(':id/deliveries')
  listDeliveries(@Param('id') id: string, @Query() query: Record<string, unknown>) {
    return this.deliveries.list(id, query);
  }
}
