import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { currentPrincipal, requirePermission } from '#libs/auth/current-principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { requote } from '#libs/notifications/quotes.js';
import type { Deleted } from '#libs/resource/types/record.dto.js';
import { MEMBER, mustExist } from '#libs/resource/access/references.js';
import { currentScope } from '#libs/tenancy/scope.js';
import type { Place } from '#libs/resource/access/record-subjects.js';
import { TimelineKit } from '../timeline-kit.js';
import type { RecordSubject } from '#libs/resource/access/record-subjects.js';
import { nextVersion } from '#libs/resource/records/next-version.js';
import { TimelineService } from '../timeline.service.js';
import { CommentView, type CreateComment } from './comment.dto.js';
import type { Comment } from './comment.entity.js';
import { CommentsRepository } from './comments.repository.js';

type CommentPatch = Partial<Pick<Comment, 'body' | 'visibility' | 'mentions'>>;

/** Comments on records, including archived ones. Only the author can edit a comment. */
@Injectable()
export class CommentsService extends TimelineService<Comment, CommentView> {
  constructor(kit: TimelineKit, repository: CommentsRepository) {
    super(
      {
        type: 'core.comment',
        noun: 'comment',
        collection: 'comments',
        view: CommentView,
        events: {
          created: 'Someone commented on a record.',
          updated: 'A comment was edited.',
          deleted: 'A comment was deleted.',
        },
      },
      kit,
      repository,
    );
  }

  /** @throws Problem 400 `unknown_reference` for unknown members and comments. */
  async create(place: Place, input: CreateComment): Promise<CommentView> {
    const subject = await this.kit.subjects.atFor(place, 'comments:write');
    return this.unit(async (transaction) => {
      const stamp = this.stamp(subject);
      const row: Comment = {
        ...stamp,
        parentId: await this.parentOf(transaction, subject, input.parentId ?? null),
        body: input.body,
        visibility: input.visibility ?? 'internal',
        mentions: input.mentions ?? [],
        authorId: currentPrincipal().membershipId,
        updatedAt: stamp.createdAt,
        updatedBy: stamp.createdBy,
        deletedAt: null,
      };
      this.mustKnow(transaction, row.mentions);
      return this.add(transaction, subject, row);
    });
  }

  /** Applies a merge patch. @throws Problem 403 unless the caller is the author. */
  async update(place: Place, id: string, patch: CommentPatch): Promise<CommentView> {
    const subject = await this.kit.subjects.atFor(place, 'comments:write');
    return this.unit(async (transaction) => {
      const row = await this.lock(transaction, subject, id);
      if (!isByCaller(row)) throw new Problem('permission_denied', 'Only its author can edit a comment.');
      if (isDeepStrictEqual({ ...row, ...patch }, row)) return this.present(row);
      const after = nextVersion(row, { ...patch, updatedAt: this.kit.now(), updatedBy: currentScope().actor });
      if (patch.mentions) this.mustKnow(transaction, patch.mentions);
      const save = this.repository.replace(after);
      this.record(transaction, subject, { event: 'updated', before: row, after, save });
      if (patch.body !== undefined) transaction.write(requote(id, patch.body));
      return this.present(after);
    });
  }

  /**
   * Deletes a comment; replies stay. @throws Problem 403 unless the caller is the author or holds `comments:manage`; 423
   * if a legal hold covers the record.
   */
  async remove(place: Place, id: string): Promise<Deleted> {
    const subject = await this.kit.subjects.atFor(place, 'comments:write');
    return this.unit(async (transaction) => {
      const row = await this.lock(transaction, subject, id);
      if (!isByCaller(row)) requirePermission('comments:manage');
      this.refuseHeld(transaction, subject);
      transaction.write(requote(id, null));
      return this.erase(transaction, subject, row, this.repository.replace({ ...row, deletedAt: this.kit.now() }));
    });
  }

  protected override async lock(transaction: Transaction, subject: RecordSubject, id: string): Promise<Comment> {
    const row = await super.lock(transaction, subject, id);
    if (row.deletedAt !== null) throw Problem.notFound();
    return row;
  }

  protected present(row: Comment): CommentView {
    const { parentId, body, visibility, mentions, authorId, updatedAt, updatedBy } = row;
    return { ...this.base(row), parentId, body, visibility, mentions, authorId, updatedAt, updatedBy };
  }

  private mustKnow(transaction: Transaction, members: string[]): void {
    if (members.length > 0) transaction.write(mustExist(MEMBER, '/mentions', members));
  }

  private async parentOf(
    transaction: Transaction,
    subject: RecordSubject,
    parentId: string | null,
  ): Promise<string | null> {
    if (parentId === null) return null;
    const parent = await this.repository.lockOf(transaction, subject.id, parentId);
    if (parent?.deletedAt !== null) throw Problem.unknownReference('/parentId');
    if (parent.parentId !== null)
      throw Problem.validation([
        { pointer: '/parentId', code: 'invalid_value', detail: 'A reply cannot be replied to.' },
      ]);
    return parentId;
  }
}

/**
 * Whether the caller wrote the comment, with any credential. Service keys act for the tenant, so they count as one
 * author.
 */
function isByCaller({ authorId }: Comment): boolean {
  return authorId === currentPrincipal().membershipId;
}
