import { Entity, PrimaryColumn } from 'typeorm';
import { TimelineRow } from '../timeline.entity.js';

/** A member who watches a record; `id` is the membership. */
@Entity({ schema: 'data', name: 'record_watchers' })
export class Watcher extends TimelineRow {
  @PrimaryColumn('uuid', { name: 'record_id' })
  recordId!: string;
}
