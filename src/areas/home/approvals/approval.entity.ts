import { Column, Entity } from 'typeorm';
import type { Permission } from '#libs/auth/permissions.js';
import type {
  ApprovalDecision,
  ApprovalFailure,
  ApprovalPerson,
  ApprovalStatus,
} from '#libs/resource/gates/approval.dto.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';

/** Who asked, and with what right; `keyId` names the credential in the directory. */
export interface Requester extends ApprovalPerson {
  keyId: string;
  /** Permission that the action needs. */
  permission: string;
}

/** Who may decide. */
export interface Deciders {
  /** With who manages the requester, where the gate wants that. */
  memberIds: string[];
  /** Absent in what was parked before roles could be named. */
  roleIds?: string[];
  managerOfRequester?: boolean;
  permission: Permission | null;
}

/** What was demanded when the action was parked; later changes of the gate do not touch it. */
export interface ApprovalRule extends Deciders {
  /** What whoever decides has to be besides, where a policy and a gate have both asked. */
  also?: Deciders;
  quorum: number;
  allowSelfApproval: boolean;
}

/** A decision with what tells people apart: the membership, or the lineage of a key that acts for nobody. */
export interface KeptDecision extends Omit<ApprovalDecision, 'onBehalfOf'> {
  person: string;
  /** Absent in what was decided before anybody could stand in. */
  onBehalfOf?: ApprovalPerson | null;
}

@Entity({ schema: 'data', name: 'approvals' })
export class Approval extends RecordRow {
  @Column('text')
  gate!: string;

  @Column('text')
  operation!: string;

  @Column('text')
  action!: string;

  @Column('text', { name: 'target_object' })
  targetObject!: string;

  @Column('uuid', { name: 'target_id' })
  targetId!: string;

  @Column('integer', { name: 'target_version' })
  targetVersion!: number;

  @Column('text', { name: 'target_name' })
  targetName!: string;

  /** Body of the action. */
  @Column('jsonb')
  input!: Record<string, unknown>;

  @Column('jsonb')
  requester!: Requester;

  /** As in {@link KeptDecision}. */
  @Column('uuid', { name: 'requester_person' })
  requesterPerson!: string;

  @Column('jsonb')
  rule!: ApprovalRule;

  @Column('jsonb')
  decisions!: KeptDecision[];

  @Column('text')
  status!: ApprovalStatus;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: string;

  @Column('timestamptz', { name: 'closed_at', nullable: true })
  closedAt!: string | null;

  @Column('jsonb', { nullable: true })
  failure!: ApprovalFailure | null;
}
