import { Column, Entity } from 'typeorm';
import { RecordRow } from '#libs/resource/record.entity.js';
import type { TimeOffType } from '../half-days.js';
import type { TimeOffStatus } from './time-off.lifecycle.js';

@Entity({ schema: 'data', name: 'people_time_off' })
export class TimeOff extends RecordRow {
  @Column('uuid', { name: 'employee_id' })
  employeeId!: string;

  @Column('text')
  type!: TimeOffType;

  @Column('date', { name: 'start_date' })
  startDate!: string;

  @Column('date', { name: 'end_date' })
  endDate!: string;

  @Column('boolean', { name: 'start_half' })
  startHalf!: boolean;

  @Column('boolean', { name: 'end_half' })
  endHalf!: boolean;

  @Column('integer', { name: 'half_days' })
  halfDays!: number;

  @Column('text', { nullable: true })
  note!: string | null;

  @Column('text')
  status!: TimeOffStatus;

  @Column('timestamptz', { name: 'decided_at', nullable: true })
  decidedAt!: string | null;
}
