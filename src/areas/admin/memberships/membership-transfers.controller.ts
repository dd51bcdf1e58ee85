import { Controller, Get, Param } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { MembershipsService } from './memberships.service.js';
import { OwnershipTransfer } from './transfer.dto.js';

@Controller('api/admin/membership-transfers')
export class MembershipTransfersController {
  constructor(private readonly memberships: MembershipsService) {}

  @Route({
    id: 'admin.membership_transfers.get',
    summary: 'Read the progress of a transfer of records',
    description: 'The job started by the effect `ownership_transfer` of a change, or by `reassignTo` of a workspace.',
    permission: 'members:read',
    withinReach: true,
    answer: OwnershipTransfer,
    tag: 'admin memberships',
    problems: ['not_found'],
  })
  @Get(':transferId')
  get(@Param('transferId') id: string) {
    return this.memberships.transfer(id);
  }
}
