import { Column, Entity } from 'typeorm';
import { RecordRow } from '#libs/resource/record.entity.js';

@Entity({ schema: 'data', name: 'people_departments' })
export class Department extends RecordRow {
  @Column('uuid', { name: 'parent_id', nullable: true })
  parentId!: string | null;

  @Column('uuid', { name: 'lead_employee_id', nullable: true })
  leadEmployeeId!: string | null;

  @Column('text', { name: 'cost_center', nullable: true })
  costCenter!: string | null;
}
