import { Column, Entity } from 'typeorm';
import type { Permission } from '#libs/auth/permissions.js';
import type {
  ApprovalDecision,
  ApprovalFailure,
  ApprovalPerson,
  ApprovalStatus,
} from '#libs/resource/gates/approval.dto.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';

/** The requester and the permission used; `keyId` identifies the credential in the directory. */
export interface Requester extends ApprovalPerson {
  keyId: string;
  /** Permission that the action requires. */
  permission: string;
}

/** Who may decide. */
export interface Deciders {
  /** Includes the requester's manager if the gate requires it. */
  memberIds: string[];
  /** Missing in requests from before gates could name roles. */
  roleIds?: string[];
  managerOfRequester?: boolean;
  permission: Permission | null;
}

/** The rule in force when the action was parked; later changes of the gate do not affect it. */
export interface ApprovalRule extends Deciders {
  /** Further requirement for approvers, when both a policy and a gate apply. */
  also?: Deciders;
  quorum: number;
  allowSelfApproval: boolean;
}

/** A decision with the identity of the approver: the membership, or the lineage of a service key. */
export interface KeptDecision extends ApprovalDecision {
  person: string;
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
