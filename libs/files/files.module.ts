import { join } from 'node:path';
import { Global, Module } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { FileContents } from './file-contents.js';
import { FileStorage } from './file-storage.js';
import { FolderStorage } from './folder-storage.js';
import { Receiving } from './receiving.js';
import { S3Storage } from './s3-storage.js';
import { ScratchFolder } from './scratch-folder.js';

/** Contents of files, for the API and the worker. */
@Global()
@Module({
  providers: [
    {
      provide: FileStorage,
      inject: [SETTINGS_TOKEN],
      useFactory: ({ FILES_URL: bucket, DATA_DIR: folder }: Settings) =>
        bucket ? new S3Storage(bucket) : new FolderStorage(join(folder, 'files')),
    },
    {
      provide: Receiving,
      inject: [SETTINGS_TOKEN],
      useFactory: ({ DATA_DIR: folder }: Settings) => new Receiving(new ScratchFolder(join(folder, 'incoming'))),
    },
    FileContents,
  ],
  exports: [FileStorage, Receiving, FileContents],
})
export class FilesModule {}
