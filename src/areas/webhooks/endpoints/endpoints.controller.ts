import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { routesOf } from '#libs/resource/routes/object-routes.js';
import { WebhookDeliveryPage, WebhookDeliveryQuery } from '../deliveries/delivery.dto.js';
import { DeliveriesService } from '../deliveries/deliveries.service.js';
import { EndpointWithSecret, RotatedWebhookSecret, RotateWebhookSecret } from './endpoint-actions.dto.js';
import { EndpointRotationService } from './endpoint-rotation.service.js';
import { endpoints } from './endpoint.js';
import { type EndpointPatch, EndpointQuery, type NewEndpoint, UpdateEndpoint } from './endpoint.requests.js';
import { EndpointsService } from './endpoints.service.js';

const READ = 'webhooks:read';
const WRITE = 'webhooks:write';
const route = routesOf(endpoints, 'webhooks.endpoints', { permission: WRITE });

@Controller(endpoints.path)
export class EndpointsController {
  constructor(
    private readonly endpoints: EndpointsService,
    private readonly rotation: EndpointRotationService,
    private readonly deliveries: DeliveriesService,
  ) {}

  @route.list({
    summary: 'List webhook endpoints',
    permission: READ,
    query: EndpointQuery,
  })
  list(@Query() query: object) {
    return this.endpoints.list(query);
  }

  @route.create({
    summary: 'Create a webhook endpoint',
    description:
      'The answer shows the secret with which deliveries are signed. It cannot be read again. A tenant may have 3, 10, 50 or 500 endpoints, as its plan says.',
    answer: EndpointWithSecret,
    secretAnswer: true,
    problems: ['plan_limit_reached'],
  })
  create(@Body() input: NewEndpoint) {
    return this.endpoints.create(input);
  }

  @route.read({
    summary: 'Read a webhook endpoint',
    permission: READ,
  })
  get(@Param('id') id: string) {
    return this.endpoints.get(id);
  }

  @route.update({
    summary: 'Change a webhook endpoint',
    description:
      'A JSON merge patch (RFC 7396). Attempts that follow go to the new URL, also those of older events; where its origin is another, the endpoint is no longer verified.',
    body: UpdateEndpoint,
  })
  update(@Param('id') id: string, @Body() patch: EndpointPatch) {
    return this.endpoints.update(id, patch);
  }

  @route.remove({
    summary: 'Delete a webhook endpoint',
    description: 'Deliveries that are open for it are skipped.',
  })
  remove(@Param('id') id: string) {
    return this.endpoints.remove(id);
  }

  @route.act('enable', {
    summary: 'Enable a webhook endpoint',
    description:
      'Held events are sent, and its health is reset. If the operator requires it, the endpoint must be verified first.',
    problems: ['blocked'],
  })
  enable(@Param('id') id: string) {
    return this.endpoints.act(id, 'enable');
  }

  @route.act('disable', {
    summary: 'Disable a webhook endpoint',
    description: 'Events that match meanwhile are held for it.',
  })
  disable(@Param('id') id: string) {
    return this.endpoints.act(id, 'disable');
  }

  @route.act('pause', {
    summary: 'Pause a webhook endpoint',
    description: 'Events that match meanwhile are held for it.',
  })
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
