import { Module } from '@nestjs/common';
import { NotificationsModule } from '#libs/notifications/notifications.module.js';
import { WorkerBaseModule } from '#libs/worker/worker-base.module.js';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { DocumentsRecordsModule } from './documents-records.module.js';
import { FileScanning } from './files/file-scanning.js';

/** Scanning of files, in the worker. */
@Module({ imports: [DocumentsRecordsModule, NotificationsModule, WorkerBaseModule], providers: [FileScanning] })
export class DocumentsWorkerModule extends WorkerPart {
  constructor(scanning: FileScanning) {
    super(scanning);
  }
}
