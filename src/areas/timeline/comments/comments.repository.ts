import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { TimelineRepository } from '../timeline.repository.js';
import { Comment } from './comment.entity.js';

@Injectable()
export class CommentsRepository extends TimelineRepository<Comment> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Comment);
  }
}
